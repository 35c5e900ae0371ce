package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/internal/atomicfile"
)

const mergeLong = `Make one corpus of several, with the evidence of all decisions. A document that several have is there once, and one
that any of them purged stays out. Archives are not copied.

The corpora must have the same policy, the same treatment of pages without a statement, the same agent token and the
same overrides. The form of the texts and of the shards is that of the first one. The result cannot be changed:
decide, purge and dedupe the corpora, and merge them again. decorum corpus verify checks it like any other.

EXIT STATUS: 0 done, 2 usage error, 4 OUT cannot be written, 5 no corpus in DIR, or one of its shards was changed.`

func newCorpusMerge(env environment) *cobra.Command {
	output := ""
	var signing signing
	command := &cobra.Command{
		Use: "merge DIR DIR... -o OUT", Short: "Make one corpus of several", Long: mergeLong,
		Example: "  decorum corpus merge news forum -o all",
		Args:    cobra.MinimumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			if output == "" {
				return usageError(errors.New("no directory to merge into"), "name one with -o")
			}
			return mergeCorpora(env, args, output, signing)
		},
	}
	command.Flags().StringVarP(&output, "output", "o", "", "new directory `OUT`")
	signing.add(command.Flags())
	return command
}

func mergeCorpora(env environment, directories []string, output string, signing signing) error {
	if err := signing.load(env); err != nil {
		return err
	}
	var all []*openedCorpus
	for _, directory := range directories {
		o, err := openCorpus(env, directory, false)
		if err != nil {
			return err
		}
		defer o.close() //nolint:errcheck // it is only read
		all = append(all, o)
		if err := all[0].checkLike(o); err != nil {
			return usageError(fmt.Errorf("%s and %s %w", directories[0], directory, err), "decorum corpus decide gives a corpus another policy")
		}
	}
	to, err := newFolder(output)
	if err != nil {
		return err
	}
	defer to.Close() //nolint:errcheck // its files are synced
	m, err := merge(all, to)
	if err == nil {
		err = signing.sign(to, m)
	}
	if err != nil {
		err = errors.Join(err, empty(to))
	}
	if errors.Is(err, corpus.ErrChanged) {
		return &commandError{code: exitDirectory, err: err, hint: "decorum corpus verify says what was changed"}
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.stdout, "%s in %s\n", plural(int(m.Counts.Documents), "document"), safe(output))
	return err
}

// checkLike returns in what two corpora differ that one cannot.
func (o *openedCorpus) checkLike(other *openedCorpus) error {
	switch {
	case o.manifest.Policy != other.manifest.Policy:
		return fmt.Errorf("have different policies: %s and %s", o.manifest.Policy, other.manifest.Policy)
	case o.manifest.Unknown != other.manifest.Unknown:
		return errors.New("treat pages without a statement differently")
	case o.config.AgentToken != other.config.AgentToken:
		return fmt.Errorf("were made under different tokens: %s and %s", o.config.AgentToken, other.config.AgentToken)
	}
	return nil
}

func merge(all []*openedCorpus, to *os.Root) (*corpus.Manifest, error) {
	first := all[0]
	p := corpus.Publication{
		Operator: first.manifest.Operator, ConfigSHA256: first.manifest.ConfigSHA256, Policy: first.manifest.Policy,
		Finished: true, Inputs: []corpus.Input{}, Unjudged: []string{},
	}
	var parts []corpus.Part
	for _, o := range all {
		data, err := o.root.ReadFile(corpus.ManifestName)
		if err != nil {
			return nil, err
		}
		m := o.manifest
		parts = append(parts, corpus.Part{Root: o.root, Manifest: m})
		p.Merged = append(p.Merged, content.SHA256(data))
		p.Scope, p.Inputs, p.Unjudged = append(p.Scope, m.Scope...), append(p.Inputs, m.Inputs...), append(p.Unjudged, m.Unjudged...)
		p.Finished, p.Pending = p.Finished && m.Finished, p.Pending+m.Counts.Pending
	}
	p.Scope = slices.Compact(slices.Sorted(slices.Values(p.Scope)))
	var err error
	if p.LeftOut, err = corpus.Merge(parts, to, crawldir.PagesName, crawldir.SkippedName); err != nil {
		return nil, err
	}
	config, err := first.root.ReadFile(crawldir.SettingsName)
	if err != nil {
		return nil, err
	}
	settings, err := first.settings.encode()
	if err != nil {
		return nil, err
	}
	if err := errors.Join(atomicfile.WriteData(to, crawldir.SettingsName, config), atomicfile.WriteData(to, corpusName, settings)); err != nil {
		return nil, err
	}
	return publishCorpus(to, first.settings, p)
}
