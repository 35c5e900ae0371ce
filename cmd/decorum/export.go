package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/internal/atomicfile"
	"github.com/decorum-crawler/decorum/storage"
	"github.com/decorum-crawler/decorum/storage/warc"
)

func newStateExport(env environment) *cobra.Command {
	var format, output, title string
	command := &cobra.Command{
		Use: "export DIR -o FILE", Short: "Pack the archive of a crawl into one file for viewers",
		Example: "  decorum state export example -o example.wacz",
		Long: "Pack the archive of a crawl that was begun with --store warc, its index and the list of its pages into one WACZ file\n" +
			"(Web Archive Collection Zipped 1.1.1), which viewers of web archives open.\n\n" +
			"EXIT STATUS: 0 done, 2 usage error, 4 the file cannot be written, 5 no crawl there, without archive, or running.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if format != "wacz" {
				return usageError(fmt.Errorf("--format %q is not known", format), "wacz is the only one")
			}
			if output == "" {
				return usageError(errors.New("no file to write to"), "name one with -o, for example -o "+filepath.Base(args[0])+".wacz")
			}
			return exportWACZ(env, args[0], output, title)
		},
	}
	command.Flags().StringVar(&format, "format", "wacz", "of the file: wacz")
	command.Flags().StringVarP(&output, "output", "o", "", "file to write; - is standard output")
	command.Flags().StringVar(&title, "title", "", "shown by viewers (default the seeds)")
	return command
}

func exportWACZ(env environment, directory, output, title string) error {
	state, err := lookInto(directory) // held, so that no crawl runs meanwhile
	if err != nil {
		return err
	}
	defer state.Close()
	root, err := os.OpenRoot(directory)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // it is only read
	_, err = root.Lstat(indexName)
	if errors.Is(err, fs.ErrNotExist) {
		return &commandError{
			code: exitDirectory, err: fmt.Errorf("the crawl in %s has no archive, or never came to an end", directory),
			hint: "begin a crawl with --store warc, or let this one end with decorum resume",
		}
	}
	if err != nil {
		return err
	}
	info, err := state.Info()
	if err != nil {
		return err
	}
	if n := info.Counters.Pending; n > 0 {
		fmt.Fprintf(env.stderr, "decorum: the crawl is not finished, %d URLs are pending; what is there is packed\n", n)
	}
	if err := isWhole(root, info); err != nil {
		return err
	}
	about, err := packageOf(directory, root, title)
	if err != nil {
		return err
	}
	write := func(out io.Writer) error { return warc.Pack(out, root, warcDir, indexName, about, pagesShown(root)) }
	if output == "-" {
		return write(env.stdout)
	}
	folder, err := os.OpenRoot(filepath.Dir(output))
	if err == nil {
		err = errors.Join(atomicfile.Write(folder, filepath.Base(output), write), folder.Close())
	}
	if err != nil {
		return &commandError{code: exitIO, err: err, hint: "name a file that can be written with -o"}
	}
	_, err = fmt.Fprintf(env.stdout, "%s\n", safe(output))
	return err
}

// isWhole reports whether the files end where the state says; a crawl that was
// killed may have left more.
func isWhole(root *os.Root, info storage.Info) error {
	names, err := archiveFiles(root)
	if err != nil {
		return err
	}
	size := int64(0)
	for _, name := range names {
		file, err := root.Lstat(name)
		if err != nil {
			return err
		}
		size += file.Size()
	}
	if size != info.Offsets[outputWARC] {
		return &commandError{
			code: exitDirectory, err: fmt.Errorf("the archive has %d bytes, the state knows of %d: the crawl was cut short", size, info.Offsets[outputWARC]),
			hint: "let it come to an end with decorum resume",
		}
	}
	return nil
}

// packageOf says what a package is of: a viewer begins at the first seed that
// is a page.
func packageOf(directory string, root *os.Root, title string) (warc.Package, error) {
	c, err := readSettings(directory)
	if err != nil {
		return warc.Package{}, err
	}
	p := warc.Package{Title: title, Software: "decorum " + version, Created: time.Now()}
	if p.Title == "" {
		p.Title = strings.Join(c.Seed, ", ")
	}
	for page, err := range pagesShown(root) {
		if err != nil {
			return p, err
		}
		if len(c.Seed) > 0 && page.URL == c.Seed[0] {
			p.MainURL, p.MainAt = page.URL, page.At
			break
		}
	}
	return p, nil
}

// pagesShown gives the pages that a viewer lists: HTML that was there, and was
// not purged since.
func pagesShown(root *os.Root) iter.Seq2[warc.PackagePage, error] {
	return func(yield func(warc.PackagePage, error) bool) {
		purged, err := corpus.Purged(root)
		if err != nil {
			yield(warc.PackagePage{}, err)
			return
		}
		file, err := root.Open(outputNames[record.OutputPages])
		if err != nil {
			yield(warc.PackagePage{}, err)
			return
		}
		defer file.Close()
		err = eachLineOf(file, func(line []byte) error {
			var p record.Page
			if err := json.Unmarshal(line, &p); err != nil {
				return fmt.Errorf("read %s: %w", outputNames[record.OutputPages], err)
			}
			shown := p.Status == 200 && strings.Contains(p.ContentType, "html") && !purged[corpus.DocumentID(p.URL, p.FetchedAt)]
			if shown && !yield(warc.PackagePage{URL: p.URL, At: p.FetchedAt, Title: p.Title}, nil) {
				return errStopReading
			}
			return nil
		})
		if err != nil {
			yield(warc.PackagePage{}, err)
		}
	}
}
