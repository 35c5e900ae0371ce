package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
	"github.com/decorum-crawler/decorum/storage"
)

func newState(env environment) *cobra.Command {
	parent := &cobra.Command{Use: "state", Short: "Look into a crawl"}
	parent.AddCommand(newStateInspect(env), newStateWhy(env), newStateExport(env), newStateVerify(env))
	return parent
}

// lookInto opens the state of a crawl to read it.
func lookInto(directory string) (*storage.State, error) {
	state, err := storage.Open(filepath.Join(directory, stateName), true)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noCrawl(directory)
	}
	return state, err
}

func noCrawl(directory string) error {
	return &commandError{
		code: exitDirectory, err: fmt.Errorf("%s holds no crawl", directory),
		hint: "name the directory of a crawl, or begin one with decorum crawl",
	}
}

func newStateInspect(env environment) *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use: "inspect DIR", Short: "Say how far a crawl is", Example: "  decorum state inspect example",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			state, err := lookInto(args[0])
			if err != nil {
				return err
			}
			defer state.Close()
			info, err := state.Info()
			if err != nil {
				return err
			}
			hosts, err := state.Hosts()
			if err != nil {
				return err
			}
			if asJSON {
				return newEncoder(env.stdout).Encode(inspection{
					"decorum.state/1", info.Run, info.Commits, info.Counters.Done,
					info.Counters.Skipped + info.Counters.Tentative, info.Counters.Pending, len(hosts), info.Offsets,
				})
			}
			_, err = fmt.Fprintf(env.stdout, "run      %s\npages    %d\nskipped  %d\npending  %d on %d hosts\ncommits  %d\n",
				info.Run, info.Counters.Done, info.Counters.Skipped+info.Counters.Tentative, info.Counters.Pending, len(hosts), info.Commits)
			return err
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print one decorum.state/1 object")
	return command
}

type inspection struct {
	Schema  string           `json:"schema"`
	Run     string           `json:"run"`
	Commits uint64           `json:"commits"`
	Pages   int64            `json:"pages"`
	Skipped int64            `json:"skipped"`
	Pending int64            `json:"pending"`
	Hosts   int              `json:"hosts"`
	Offsets map[string]int64 `json:"offsets"`
}

func newStateWhy(env environment) *cobra.Command {
	return &cobra.Command{
		Use: "why DIR URL", Short: "Tell the life of one URL", Example: "  decorum state why example https://example.com/private",
		Long: "Tell the life of one URL: how it came to be known, what became of it, and by which line.\n\n" +
			"EXIT STATUS: 0 known, 1 never seen, 2 usage, 5 no crawl there.",
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error { return why(env, args[0], args[1]) },
	}
}

func why(env environment, directory, address string) error {
	state, err := lookInto(directory)
	if err != nil {
		return err
	}
	defer state.Close()
	item := frontier.Item{URL: address}
	if canonical, err := frontier.Canonical("", address, 0); err == nil {
		item.URL = canonical
	}
	known, at, err := state.Lookup(item)
	if err != nil {
		return err
	}
	if at == frontier.StateUnknown {
		fmt.Fprintf(env.stdout, "%s was never seen\n", safe(item.URL))
		return errFindings
	}
	fmt.Fprintf(env.stdout, "url      %s\nstate    %s\n", safe(known.URL), at)
	if known.Skip != "" {
		fmt.Fprintf(env.stdout, "reason   %s\n", known.Skip)
	}
	fmt.Fprintf(env.stdout, "source   %s, depth %d", known.Source, known.Depth)
	if known.Via != "" {
		fmt.Fprintf(env.stdout, ", via %s", safe(known.Via))
	}
	fmt.Fprintf(env.stdout, "\nattempts %d\n", known.Attempts)
	return whyLine(env, directory, known.URL)
}

// whyLine adds what the outputs say of a URL.
func whyLine(env environment, directory, address string) error {
	for _, name := range []string{outputNames[record.OutputSkipped], outputNames[record.OutputPages]} {
		record, err := findLine(filepath.Join(directory, name), address)
		if err != nil {
			return err
		}
		if record == nil {
			continue
		}
		if record.Status > 0 || record.Error != "" {
			fmt.Fprintf(env.stdout, "status   %d %s\n", record.Status, safe(record.Error))
		}
		rule, line := record.Rule, record.Line
		if record.Robots.Reason != "" {
			rule, line = record.Robots.Rule, record.Robots.Line
			fmt.Fprintf(env.stdout, "robots   %s\n", record.Robots.Reason)
		}
		if line > 0 {
			fmt.Fprintf(env.stdout, "rule     line %d: %s\n", line, safe(rule))
		}
		fmt.Fprintf(env.stdout, "record   %s\n", name)
		return nil
	}
	return nil
}

// outputLine is what the lines of both outputs may have.
type outputLine struct {
	URL    string        `json:"url"`
	Status int           `json:"status"`
	Error  string        `json:"error"`
	Rule   string        `json:"rule"`
	Line   int           `json:"line"`
	Robots record.Robots `json:"robots"`
}

func findLine(name, address string) (*outputLine, error) {
	var found *outputLine
	err := eachLine(name, func(data []byte) error {
		var record outputLine
		if err := json.Unmarshal(data, &record); err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		if record.URL == address {
			found = &record
			return errStopReading
		}
		return nil
	})
	return found, err
}

var errStopReading = errors.New("enough read")

func eachLine(name string, read func([]byte) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	return eachLineOf(file, read)
}

// eachLineOf reads until read says that it has enough.
func eachLineOf(in io.Reader, read func([]byte) error) error {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, 16<<20)
	for scanner.Scan() {
		if err := read(scanner.Bytes()); err != nil {
			if errors.Is(err, errStopReading) {
				return nil
			}
			return err
		}
	}
	return scanner.Err()
}

func newStateVerify(env environment) *cobra.Command {
	inProcess := false
	command := &cobra.Command{
		Use: "verify DIR", Short: "Check that state and outputs agree", Example: "  decorum state verify example",
		Long: "Check that every page of the state has one line and every line its page.\n\n" +
			"EXIT STATUS: 0 they agree, 1 they differ, 5 damaged or in use.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if inProcess || env.self == "" {
				return verify(env, args[0])
			}
			return verifyInChild(env, args[0])
		},
	}
	command.Flags().BoolVar(&inProcess, "in-process", false, "check in this process")
	_ = command.Flags().MarkHidden("in-process") // the flag is there
	return command
}

// verifyInChild checks in a process of its own: some damage of the file ends
// the process that reads it, past every recover.
func verifyInChild(env environment, directory string) error {
	var errs bytes.Buffer
	child := exec.CommandContext(context.Background(), env.self, "state", "verify", "--in-process", directory)
	child.Args[0], child.Stdout, child.Stderr = "decorum", env.stdout, &errs
	err := child.Run()
	failed, ok := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
	case !ok:
		return &commandError{code: exitIO, err: fmt.Errorf("verify in a child process: %w", err)}
	case failed.ExitCode() < 0, bytes.Contains(errs.Bytes(), []byte("fatal error: ")), bytes.Contains(errs.Bytes(), []byte("panic: ")):
		return fmt.Errorf("verify state of %s: reading it ended the process: %w", directory, storage.ErrDamaged)
	default:
		err = &commandError{code: failed.ExitCode()}
	}
	fmt.Fprint(env.stderr, errs.String())
	return err
}

func verify(env environment, directory string) error {
	state, err := lookInto(directory)
	if err != nil {
		return err
	}
	defer state.Close()
	info, err := state.Info()
	if err != nil {
		return err
	}
	faults := 0
	say := func(format string, args ...any) {
		if faults++; faults <= 20 {
			fmt.Fprintf(env.stdout, "%s\n", safe(fmt.Sprintf(format, args...)))
		}
	}
	if err := state.Check(say); err != nil {
		return err
	}
	counts := map[string]int64{}
	for output, wants := range map[string]frontier.State{
		record.OutputPages: frontier.StateDone, record.OutputSkipped: frontier.StateSkipped,
	} {
		name := filepath.Join(directory, outputNames[output])
		counts[output], err = verifyOutput(state, name, info.Offsets[output], wants, say)
		if err != nil {
			return err
		}
	}
	if counts[record.OutputPages] != info.Counters.Done {
		say("pages.jsonl has %d lines, the state %d pages", counts[record.OutputPages], info.Counters.Done)
	}
	if counts[record.OutputSkipped] != info.Counters.Skipped {
		say("skipped.jsonl has %d lines, the state %d skipped URLs", counts[record.OutputSkipped], info.Counters.Skipped)
	}
	if err := verifyArchive(directory, info, say); err != nil {
		return err
	}
	if faults > 0 {
		fmt.Fprintf(env.stdout, "%d faults\n", faults)
		return errFindings
	}
	_, err = fmt.Fprintf(env.stdout, "ok: %d pages, %d skipped, %d pending\n",
		info.Counters.Done, info.Counters.Skipped+info.Counters.Tentative, info.Counters.Pending)
	return err
}

// verifyOutput checks the committed part of an output line by line.
func verifyOutput(state *storage.State, name string, committed int64, wants frontier.State, say func(string, ...any)) (int64, error) {
	seen := map[string]bool{}
	read, lines := int64(0), int64(0)
	err := eachLine(name, func(data []byte) error {
		if read += int64(len(data)) + 1; read > committed {
			return errStopReading
		}
		lines++
		var record outputLine
		if err := json.Unmarshal(data, &record); err != nil {
			say("%s line %d: %v", name, lines, err)
			return nil
		}
		if seen[record.URL] {
			say("%s line %d: %s stands twice", name, lines, record.URL)
		}
		seen[record.URL] = true
		if _, at, err := state.Lookup(frontier.Item{URL: record.URL}); err != nil || at != wants {
			say("%s line %d: the state says %s of %s", name, lines, at, record.URL)
		}
		return nil
	})
	if err == nil && read < committed {
		say("%s is shorter than the %d bytes that the state knows", name, committed)
	}
	return lines, err
}

var _ robots.Store = (*storage.State)(nil)
