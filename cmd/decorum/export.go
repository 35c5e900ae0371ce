package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/internal/atomicfile"
)

func newStateExport(env environment) *cobra.Command {
	var format, output, title string
	command := &cobra.Command{
		Use: "export DIR -o FILE", Short: "Export the archive of a crawl as one file for viewers",
		Example: "  decorum state export example -o example.wacz",
		Long: "Pack the archive of a crawl, its index and the list of its pages into one WACZ file (Web Archive Collection Zipped\n" +
			"1.1.1), which web archive viewers can open. The crawl must have been started with --store warc.\n\n" +
			"EXIT STATUS: 0 done, 2 usage error, 4 the file cannot be written, 5 no crawl in DIR, or it has no archive or is running.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if format != "wacz" {
				return usageError(fmt.Errorf("--format %q is unknown", format), "wacz is the only format")
			}
			if output == "" {
				return usageError(errors.New("no output file"), "name it with -o, for example -o "+filepath.Base(args[0])+".wacz")
			}
			return exportWACZ(env, args[0], output, title)
		},
	}
	command.Flags().StringVar(&format, "format", "wacz", "file format; wacz is the only one")
	command.Flags().StringVarP(&output, "output", "o", "", "file to write; - is standard output")
	command.Flags().StringVar(&title, "title", "", "title that viewers show (default the seeds)")
	return command
}

func exportWACZ(env environment, directory, output, title string) error {
	view, err := look(env, directory) // held, so that no crawl runs meanwhile
	if err != nil {
		return err
	}
	defer view.Close() //nolint:errcheck // it is only read
	purged, err := corpus.Purged(view.Root())
	if err != nil {
		return err
	}
	archive, err := view.Package(crawldir.PackageOptions{
		Title: title, Software: "decorum " + version,
		Hidden: func(p record.Page) bool { return purged[corpus.DocumentID(p.URL, p.FetchedAt)] },
	})
	if err != nil {
		return err
	}
	info, err := view.State().Info()
	if err != nil {
		return err
	}
	if n := info.Counters.Pending; n > 0 {
		fmt.Fprintf(env.stderr, "decorum: the crawl is not complete, %s pending; exporting what it has so far\n", plural(int(n), "URL"))
	}
	if output == "-" {
		return archive.Write(env.stdout)
	}
	if err := writePackage(archive, output); err != nil {
		return &commandError{code: exitIO, err: err, hint: "name a writable file with -o"}
	}
	_, err = fmt.Fprintf(env.stdout, "%s\n", safe(output))
	return err
}

func writePackage(archive *crawldir.Package, output string) error {
	if err := checkOutput(output); err != nil {
		return err
	}
	folder, err := os.OpenRoot(filepath.Dir(output))
	if err != nil {
		return err
	}
	return errors.Join(atomicfile.Write(folder, filepath.Base(output), archive.Write), folder.Close())
}
