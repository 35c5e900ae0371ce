package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/corpus/evidence"
	"github.com/decorum-crawler/decorum/corpus/signal"
	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/internal/atomicfile"
)

// byteCount formats a size for people.
func byteCount(n int64) string {
	switch {
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// openedCorpus is a corpus that is read or changed after its crawl.
type openedCorpus struct {
	root     *os.Root
	settings corpusSettings
	config   configs.Config
	manifest *corpus.Manifest
	crawl    *crawldir.View // locked, so that no crawl runs meanwhile; nil when opened for reading
}

// openCorpus opens the corpus in a directory. A corpus that is opened for a change
// must not have a running crawl.
func openCorpus(env environment, directory string, change bool) (*openedCorpus, error) {
	root, err := os.OpenRoot(directory)
	if err != nil {
		return nil, fmt.Errorf("open corpus: %w", err)
	}
	o := &openedCorpus{root: root}
	if err := o.open(env, directory, change); err != nil {
		return nil, errors.Join(err, o.close())
	}
	return o, nil
}

func (o *openedCorpus) open(env environment, directory string, change bool) error {
	settings, err := corpusSettingsIn(directory, nil)
	if err != nil {
		return err
	}
	if settings == nil {
		return &commandError{code: exitDirectory, err: fmt.Errorf("%s does not contain a corpus", directory), hint: "name the directory of a corpus, or build one with decorum corpus build"}
	}
	o.settings = *settings
	if o.manifest, err = corpus.ReadManifest(o.root); err != nil {
		return err
	}
	if o.manifest == nil {
		return &commandError{code: exitDirectory, err: fmt.Errorf("the corpus in %s has no manifest", directory), hint: "complete its crawl with decorum resume " + directory}
	}
	if o.config, err = crawldir.Settings(directory); err != nil || !change {
		return err
	}
	if o.manifest.Exported != nil || o.manifest.Merged != nil {
		return &commandError{code: exitDirectory, err: fmt.Errorf("the corpus in %s is an export or a merger, which cannot be changed", directory), hint: "change what it was made from, and make it again"}
	}
	state := crawldir.StateName
	if len(o.manifest.Inputs) > 0 {
		state = buildName
	}
	if err := checkState(env, directory, state); err != nil {
		return err
	}
	o.crawl, err = crawldir.Hold(directory, state)
	return err
}

func (o *openedCorpus) close() error {
	if o.crawl == nil {
		return o.root.Close()
	}
	return errors.Join(o.crawl.Close(), o.root.Close())
}

// judge returns a judge that decides again from the stored evidence.
func (o *openedCorpus) judge() (*corpus.Judge, error) {
	overrides, err := corpus.ReadOverridesOf(o.root)
	return &corpus.Judge{Agent: o.config.AgentToken, Overrides: overrides, Unknown: o.settings.Unknown, Load: evidence.New(o.root).Load}, err
}

// publish rewrites the shards and the manifest.
func (o *openedCorpus) publish(policy string) error {
	info, err := o.crawl.State().Info()
	if err != nil {
		return err
	}
	m := o.manifest
	o.manifest, err = publishCorpus(o.root, o.settings, corpus.Publication{
		Operator: m.Operator, CrawlID: info.Run, ConfigSHA256: m.ConfigSHA256, Policy: policy, Scope: m.Scope,
		Finished: m.Finished, Pending: m.Counts.Pending,
	})
	return err
}

func newCorpusStats(env environment) *cobra.Command {
	asJSON := false
	command := &cobra.Command{
		Use: "stats DIR", Short: "Summarize a corpus: what is in it, what was left out, and why", Example: "  decorum corpus stats corpus",
		Long: "Summarize a corpus from its manifest: what is in it, what was left out, and why.\n\nEXIT STATUS: 0 done, 5 no corpus in DIR.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			o, err := openCorpus(env, args[0], false)
			if err != nil {
				return err
			}
			defer o.close() //nolint:errcheck // it is only read
			if asJSON {
				return newEncoder(env.stdout).Encode(o.manifest)
			}
			return printStats(env.stdout, o.manifest)
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print the decorum.manifest/1 object")
	return command
}

func printStats(out io.Writer, m *corpus.Manifest) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	printFigures(table, m)
	for _, host := range m.Hosts {
		printSignals(table, host)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, what := range m.Unjudged {
		fmt.Fprintf(out, "not judged: %s\n", safe(what))
	}
	for _, gap := range m.Gaps {
		fmt.Fprintf(out, "gap: %s\n", safe(gap))
	}
	return nil
}

func printFigures(table io.Writer, m *corpus.Manifest) {
	row := func(name string, n int64) { fmt.Fprintf(table, "%s\t%10d\n", name, n) }
	parts := func(counts map[string]int64) {
		names := make([]string, 0, len(counts))
		for name := range counts {
			names = append(names, name)
		}
		slices.SortFunc(names, func(a, b string) int { return int(counts[b] - counts[a]) })
		for _, name := range names {
			row("  "+safe(name), counts[name])
		}
	}
	c := m.Counts
	fmt.Fprintf(table, "policy\t%s; pages without a statement: %s\n", m.Policy, m.Unknown)
	fmt.Fprintf(table, "texts\t%s\n", cmp.Or(m.TextFormat, "plain"))
	row("URLs known", c.Discovered)
	row("skipped", c.Skipped)
	parts(c.NotCrawled)
	row("pending", c.Pending)
	row("requested", c.Requested)
	row("  redirects", c.Redirects)
	row("  not a page", c.Other)
	row("  pages", c.OK)
	row("documents", c.Documents)
	row("  in favor", c.InFavor)
	row("  not stated", c.None)
	row("  duplicates among them", c.Duplicates)
	if m.Near != "" {
		row("  near duplicates", c.NearDuplicates)
		row("  clusters of them", c.NearClusters)
	}
	row("excluded", c.Excluded+c.Refused)
	parts(c.ExcludedBy)
	row("on hold", c.Hold)
	row("without text", c.Failed)
	parts(c.FailedBy)
	row("purged", c.Purged)
	if m.Exported != nil || m.Merged != nil {
		row("left out", c.LeftOut)
	}
	fmt.Fprintf(table, "not downloaded\t%s\n", byteCount(c.BytesSaved))
}

func printSignals(table io.Writer, host corpus.HostSignals) {
	for _, name := range []signal.Name{
		signal.NameToken, signal.NameContentUsage, signal.NameContentSignal, signal.NameTDMRep, signal.NameRobotsMeta,
		signal.NameRSL, signal.NameAITxt, signal.NameNamedBots, signal.NameIndexing,
	} {
		if values := host.Signals[string(name)]; len(values) > 0 {
			fmt.Fprintf(table, "%s\t%s: in favor %d, against %d\n", safe(host.Host), name, values["in_favor"], values["against"])
		}
	}
}

func newCorpusDecide(env environment) *cobra.Command {
	policy, dry := "", false
	var signing signing
	command := &cobra.Command{
		Use: "decide DIR --policy NAME", Short: "Apply another policy to a corpus, without network",
		Example: "  decorum corpus decide corpus --policy cautious --dry-run\n  decorum corpus decide corpus --policy declared",
		Long: "Decide again on every page of a corpus from the stored evidence, print what changes, and rewrite the shards.\n" +
			"The text of an excluded page was never kept, so such a page cannot be added; the number of these pages is printed.\n\n" +
			"EXIT STATUS: 0 done, 2 usage error, 5 no corpus in DIR, or its crawl is running.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return decideCorpus(env, args[0], policy, dry, signing) },
	}
	signing.add(command.Flags())
	command.Flags().StringVar(&policy, "policy", "", "policy to apply: declared, token or cautious")
	command.Flags().BoolVar(&dry, "dry-run", false, "print what would change, but write nothing")
	return command
}

func decideCorpus(env environment, directory, name string, dry bool, signing signing) error {
	policy, err := signal.PolicyOf(name)
	if err != nil {
		return usageError(err, "choose one with --policy")
	}
	if err := signing.load(env); err != nil {
		return err
	}
	o, err := openCorpus(env, directory, true)
	if err != nil {
		return err
	}
	defer o.close() //nolint:errcheck // nothing is written to the state
	judge, err := o.judge()
	if err != nil {
		return err
	}
	changed, textless := 0, 0
	err = judge.Decide(o.root, policy, dry, func(c corpus.Change) error {
		if c.Textless {
			textless++
			return nil
		}
		changed++
		_, err := fmt.Fprintf(env.stdout, "%s: %s, was %s; decided by %s\n", safe(c.URL), c.New, c.Old, safe(c.Basis))
		return err
	})
	if err != nil {
		return err
	}
	if !dry {
		if err := o.follow(policy); err != nil {
			return err
		}
		if err := signing.sign(o.root, o.manifest); err != nil {
			return err
		}
	}
	verb := "changed"
	if dry {
		verb = "would change"
	}
	fmt.Fprintf(env.stdout, "%s %s under policy %s\n", plural(changed, "document"), verb, policy)
	if textless > 0 {
		fmt.Fprintf(env.stdout, "%s would now be included, but the text was not kept; build the corpus again to add it\n", plural(textless, "excluded page"))
	}
	if !dry {
		return printCounts(env.stdout, o.manifest)
	}
	return nil
}

// follow makes a policy the policy of the corpus: the corpus is published under
// it, and a resumed crawl judges by it.
func (o *openedCorpus) follow(policy signal.Policy) error {
	o.settings.Policy = policy.String()
	data, err := o.settings.encode()
	if err != nil {
		return err
	}
	if err := atomicfile.WriteData(o.root, corpusName, data); err != nil {
		return err
	}
	return o.publish(policy.String())
}

func newCorpusPurge(env environment) *cobra.Command {
	var signing signing
	command := &cobra.Command{
		Use: "purge DIR [REMOVALS...]", Short: "Remove documents from a corpus for good",
		Example: "  decorum corpus purge corpus\n  decorum corpus purge corpus removals/2026-12-01T103000Z.jsonl",
		Long: "Remove the documents that the given REMOVALS files list, by default those of all files in removals/: from the journal,\n" +
			"from every shard and, if the crawl has one, from the archive. Their titles are erased from pages.jsonl, and\n" +
			"tombstones.jsonl records each removal. decorum corpus recheck writes removals files.\n\n" +
			"EXIT STATUS: 0 done, 4 a file cannot be read, 5 no corpus in DIR, or its crawl is running.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return purgeCorpus(env, args[0], args[1:], signing) },
	}
	signing.add(command.Flags())
	return command
}

func purgeCorpus(env environment, directory string, names []string, signing signing) error {
	if err := signing.load(env); err != nil {
		return err
	}
	o, err := openCorpus(env, directory, true)
	if err != nil {
		return err
	}
	defer o.close() //nolint:errcheck // nothing is written to the state
	if len(names) == 0 {
		if names, err = corpus.RemovalFiles(o.root); err != nil {
			return err
		}
	}
	var removals []corpus.Removal
	for _, name := range names {
		if _, err := o.root.Stat(name); err != nil {
			return &commandError{code: exitIO, err: fmt.Errorf("read removals: %w", err), hint: "give the path of the file relative to " + directory}
		}
		more, err := corpus.ReadRemovals(o.root, name)
		if err != nil {
			return err
		}
		removals = append(removals, more...)
	}
	withdraw, err := withdrawer(o.root)
	if err != nil {
		return err
	}
	n, err := corpus.Purge(o.root, crawldir.PagesName, removals, withdraw)
	if err != nil {
		return err
	}
	if err := crawldir.ArchiveIn(o.root).SortIndex(); err != nil {
		return err
	}
	if err := o.publish(o.manifest.Policy); err != nil {
		return err
	}
	if err := signing.sign(o.root, o.manifest); err != nil {
		return err
	}
	fmt.Fprintf(env.stdout, "%s removed by %s\n", plural(n, "document"), strings.Join(names, ", "))
	for _, input := range o.manifest.Inputs {
		fmt.Fprintf(env.stderr, "decorum: %s may still contain them; decorum never modifies archives it did not create\n", safe(input.Name))
	}
	return printCounts(env.stdout, o.manifest)
}
