package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/internal/atomicfile"
)

const dedupeLong = `Mark the documents of a corpus whose texts are nearly the same, and rewrite its shards.

near_dup_of of each names the first document of its cluster, in the order of the crawl; a document that is first or
alone has none, so that near_dup_of = '' selects one of each. Nothing is removed. Texts are compared by MinHash:
sequences of 5 words, 112 hashes in 14 bands of 8, as FineWeb does. Texts that share 80 % of their sequences are
found in 92 % of cases, those that share half in 5 %. Memory: 160 MB for a million documents.

From then on the marks are kept up to date: by decorum resume, corpus decide and corpus purge. Texts that are exactly
the same are always marked, in dup_of.

EXIT STATUS: 0 done, 2 usage error, 5 no corpus in DIR, or its crawl is running.`

func newCorpusDedupe(env environment) *cobra.Command {
	near := false
	var signing signing
	command := &cobra.Command{
		Use: "dedupe DIR --near", Short: "Mark the documents whose texts are nearly the same", Example: "  decorum corpus dedupe corpus --near",
		Long: dedupeLong, Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if !near {
				return usageError(errors.New("texts that are exactly the same are marked already"), "mark those that are nearly the same with --near")
			}
			return dedupeCorpus(env, args[0], signing)
		},
	}
	command.Flags().BoolVar(&near, "near", false, "mark texts that are nearly the same")
	signing.add(command.Flags())
	return command
}

func dedupeCorpus(env environment, directory string, signing signing) error {
	if err := signing.load(env); err != nil {
		return err
	}
	o, err := openCorpus(env, directory, true)
	if err != nil {
		return err
	}
	defer o.close() //nolint:errcheck // nothing is written to the state
	o.settings.Near = corpus.NearMethod
	data, err := o.settings.encode()
	if err != nil {
		return err
	}
	if err := atomicfile.WriteData(o.root, corpusName, data); err != nil {
		return err
	}
	if err := o.publish(o.manifest.Policy); err != nil {
		return err
	}
	if err := signing.sign(o.root, o.manifest); err != nil {
		return err
	}
	c := o.manifest.Counts
	_, err = fmt.Fprintf(env.stdout, "%s, %d with the text of an earlier one; by %s %d nearly the same as an earlier one, in %s\n",
		plural(int(c.Documents), "document"), c.Duplicates, corpus.NearMethod, c.NearDuplicates, plural(int(c.NearClusters), "cluster"))
	return err
}
