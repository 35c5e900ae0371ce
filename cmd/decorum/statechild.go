package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/storage"
)

// inChild runs a state command on a directory in a child process: reading a damaged
// state can crash the process in a way that recover does not catch.
func inChild(env environment, command, directory string, flags ...string) error {
	var errs bytes.Buffer
	child := exec.CommandContext(context.Background(), env.self, append([]string{"state", command, "--in-process", directory}, flags...)...)
	child.Args[0], child.Stdout, child.Stderr = "decorum", env.stdout, &errs
	err := child.Run()
	failed, ok := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
	case !ok:
		return &commandError{code: exitIO, err: fmt.Errorf("%s in a child process: %w", command, err)}
	case failed.ExitCode() < 0, bytes.Contains(errs.Bytes(), []byte("fatal error: ")), bytes.Contains(errs.Bytes(), []byte("panic: ")):
		return fmt.Errorf("%s state of %s: the process that read it crashed: %w", command, directory, storage.ErrDamaged)
	default:
		err = &commandError{code: failed.ExitCode()}
	}
	fmt.Fprint(env.stderr, errs.String())
	return err
}

// addInProcess adds the flag by which inChild tells the child that it is one.
func addInProcess(command *cobra.Command, here *bool) {
	command.Flags().BoolVar(here, "in-process", false, "read the state in this process, not in a child")
	_ = command.Flags().MarkHidden("in-process") // the flag exists
}
