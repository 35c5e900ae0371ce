package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/internal/atomicfile"
)

const exportLong = `Copy the documents of a corpus that an expression selects into a new directory, with the evidence of their decisions.

The copy has a manifest of its own, which names the corpus, the expression and how many documents were left out, and
decorum corpus verify checks it like any other. Archives are not copied. A copy cannot be changed: decide, purge and
dedupe the corpus itself, and export it again.

EXPR is in the language of expr-lang.org. It has the fields of a row, as in docs/decorum.doc-2.schema.json, and
must be true or false: comparisons, and, or, not, in, contains, startsWith, matches.

EXIT STATUS: 0 done, 2 usage error, 4 OUT cannot be written, 5 no corpus in DIR, or one of its shards was changed.`

func newCorpusExport(env environment) *cobra.Command {
	where, output := "", ""
	var signing signing
	command := &cobra.Command{
		Use: "export DIR --where EXPR -o OUT", Short: "Copy selected documents into a corpus of their own", Long: exportLong,
		Example: `  decorum corpus export corpus -o german --where 'language == "de" and language_score > 0.8'
  decorum corpus export corpus -o clean --where 'near_dup_of == "" and counts.words >= 50 and not (marks.fails contains "fineweb.")'`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return exportCorpus(env, args[0], where, output, signing) },
	}
	command.Flags().StringVar(&where, "where", "true", "`EXPR` that is true of the documents to copy")
	command.Flags().StringVarP(&output, "output", "o", "", "new directory `OUT`")
	signing.add(command.Flags())
	return command
}

func exportCorpus(env environment, directory, where, output string, signing signing) error {
	if err := signing.load(env); err != nil {
		return err
	}
	if output == "" {
		return usageError(errors.New("no directory to export to"), "name one with -o")
	}
	keep, err := selection(where)
	if err != nil {
		return usageError(fmt.Errorf("--where: %w", err), "the fields are those of a row, such as language, counts.words or marks.links")
	}
	o, err := openCorpus(env, directory, false)
	if err != nil {
		return err
	}
	defer o.close() //nolint:errcheck // it is only read
	to, err := newFolder(output)
	if err != nil {
		return err
	}
	defer to.Close() //nolint:errcheck // its files are synced
	m, err := o.export(to, where, keep)
	if err == nil {
		err = signing.sign(to, m)
	}
	if err != nil {
		err = errors.Join(err, empty(to))
	}
	if errors.Is(err, corpus.ErrChanged) {
		return &commandError{code: exitDirectory, err: err, hint: "decorum corpus verify " + directory + " says what was changed"}
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.stdout, "%s in %s, %d left out\n", plural(int(m.Counts.Documents), "document"), safe(output), m.Counts.LeftOut)
	return err
}

// export fills an empty directory with a part of the corpus.
func (o *openedCorpus) export(to *os.Root, where string, keep func(corpus.Document) (bool, error)) (*corpus.Manifest, error) {
	manifest, err := o.root.ReadFile(corpus.ManifestName)
	if err != nil {
		return nil, err
	}
	records := []string{crawldir.SettingsName, crawldir.PagesName, crawldir.SkippedName, crawldir.SitemapsName}
	left, err := corpus.Export(o.root, to, o.manifest, records, keep)
	if err != nil {
		return nil, err
	}
	settings, err := o.settings.encode()
	if err != nil {
		return nil, err
	}
	if err := atomicfile.WriteData(to, corpusName, settings); err != nil {
		return nil, err
	}
	m := o.manifest
	return publishCorpus(to, o.settings, corpus.Publication{
		Operator: m.Operator, CrawlID: m.CrawlID, ConfigSHA256: m.ConfigSHA256, Policy: m.Policy, Scope: m.Scope, Finished: m.Finished,
		Pending: m.Counts.Pending, Inputs: m.Inputs, Unjudged: m.Unjudged,
		Exported: &corpus.Exported{From: content.SHA256(manifest), Where: where}, LeftOut: left,
	})
}

// newFolder makes a directory, which may exist if it is empty.
func newFolder(name string) (*os.Root, error) {
	if err := os.MkdirAll(name, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(root.FS(), ".")
	if err == nil && len(entries) > 0 {
		err = usageError(fmt.Errorf("%s is not empty", name), "name a new directory with -o")
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return root, nil
}

// empty removes what is in a directory.
func empty(root *os.Root) error {
	entries, err := fs.ReadDir(root.FS(), ".")
	for _, entry := range entries {
		err = errors.Join(err, root.RemoveAll(entry.Name()))
	}
	return err
}

// selection compiles an expression on the fields of a row.
func selection(where string) (func(corpus.Document) (bool, error), error) {
	fields, err := fieldsOf(corpus.Document{Languages: corpus.Languages{{}}, Metadata: corpus.Metadata{Signals: corpus.Signals{{}}}})
	if err != nil {
		return nil, err
	}
	program, err := expr.Compile(where, expr.Env(fields), expr.AsBool())
	if err != nil {
		return nil, err
	}
	machine := vm.VM{}
	return func(d corpus.Document) (bool, error) {
		fields, err := fieldsOf(d)
		if err != nil {
			return false, err
		}
		result, err := machine.Run(program, fields)
		if err != nil {
			return false, fmt.Errorf("--where: %w", err)
		}
		yes, _ := result.(bool)
		return yes, nil
	}, nil
}

// fieldsOf returns a row as readers of JSON see it.
func fieldsOf(d corpus.Document) (map[string]any, error) {
	row, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	return fields, json.Unmarshal(row, &fields)
}
