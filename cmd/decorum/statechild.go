package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/storage"
)

// soundName is the hidden command of the processes that check a state.
const soundName = "sound"

func newStateSound(env environment) *cobra.Command {
	return &cobra.Command{
		Use: soundName + " FILE", Short: "Check a state for another process", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			state, err := storage.Open(args[0], true)
			if err != nil {
				return err
			}
			faults := 0
			err = state.Check(func(format string, args ...any) {
				if faults++; faults == 1 {
					fmt.Fprintf(env.stdout, format, args...)
				}
			})
			if err := errors.Join(err, state.Close()); err != nil || faults == 0 {
				return err
			}
			return errFindings
		},
	}
}

// checkState checks a state before this process opens it, in a child process: on a
// damaged file bbolt can crash a process in ways that recover does not catch, and a
// crawl could lose URLs or fetch them twice. What opening the file finds anyway is
// left to that.
func checkState(env environment, directory, name string) error {
	if env.self == "" {
		return nil
	}
	path := filepath.Join(directory, name)
	var fault, errs bytes.Buffer
	child := exec.CommandContext(context.Background(), env.self, "state", soundName, path)
	child.Args[0], child.Stdout, child.Stderr = "decorum", &fault, &errs
	err := child.Run()
	failed, ok := errors.AsType[*exec.ExitError](err)
	switch {
	case err != nil && !ok:
		return &commandError{code: exitIO, err: fmt.Errorf("check state in a child process: %w", err)}
	case err == nil:
		return nil
	case crashed(failed, errs.Bytes()):
		return fmt.Errorf("open state %s: the process that checked it crashed: %w", path, storage.ErrDamaged)
	case failed.ExitCode() == exitFindings:
		return fmt.Errorf("open state %s: %w: %s", path, storage.ErrDamaged, fault.String())
	case bytes.Contains(errs.Bytes(), []byte(storage.ErrLocked.Error())):
		return fmt.Errorf("open state %s: %w", path, storage.ErrLocked) // no need to wait a second time
	}
	return nil
}

// crashed reports whether a child process ended with a crash.
func crashed(child *exec.ExitError, errs []byte) bool {
	return child.ExitCode() < 0 || bytes.Contains(errs, []byte("fatal error: ")) || bytes.Contains(errs, []byte("panic: "))
}

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
	case crashed(failed, errs.Bytes()):
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
