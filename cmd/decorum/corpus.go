package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/corpus/shard"
	"github.com/decorum-crawler/decorum/corpus/signal"
	"github.com/decorum-crawler/decorum/crawler/crawldir"
)

func newCorpus(env environment) *cobra.Command {
	parent := &cobra.Command{Use: "corpus", Short: "Build a training corpus with consent on record"}
	parent.AddCommand(newCorpusBuild(env), newCorpusStats(env), newCorpusVerify(env), newCorpusDecide(env), newCorpusRecheck(env), newCorpusPurge(env))
	return parent
}

// corpusName holds the settings of a corpus, frozen when it was begun.
const corpusName = "corpus.yaml"

// corpusSettings are what a corpus is built by.
type corpusSettings struct {
	Policy  string         `yaml:"policy"` // name and version
	Unknown corpus.Unknown `yaml:"unknown"`
	AITxt   bool           `yaml:"ai-txt"`
	Format  shard.Format   `yaml:"format"`
	Rows    int            `yaml:"shard-rows"`
	Bytes   int64          `yaml:"shard-bytes"`
}

// corpusFlags are those of corpus build beside those of a crawl.
type corpusFlags struct {
	settings  corpusSettings
	overrides string
	from      []string // archives, instead of a crawl
	given     bool     // some of the settings were given by flags
}

const corpusExamples = `  decorum corpus build https://example.com --contact https://you.example/bot -o corpus
  decorum corpus build https://example.com --policy cautious --format parquet --contact you@example.com
  decorum corpus build --from-warc crawl/warc/*.warc.gz -o corpus`

const corpusLong = `Crawl a site and keep the main text of its pages, each with what its site states about AI training.

A page is in the corpus only when nothing that its site states is against it: the robots.txt token
__usage_ai-training, Content-Usage, Content-Signal, TDMRep, noai and noml, RSL. Pages about which nothing
is stated go to shards of their own. The evidence of every decision is kept; decorum corpus verify
makes each decision anew from it.

With --from-warc documents are made of web archives (WARC; plain, .gz or .zst) instead, ours or another crawler's, without any
network: each page is judged by the robots.txt that the archives have of its site. What they lack is said, and stands in the
manifest. Documents whose sites said no later in the same archives are named in removals/, for decorum corpus purge.`

func newCorpusBuild(env environment) *cobra.Command {
	flags := crawlFlags{corpus: &corpusFlags{}}
	command := &cobra.Command{
		Use:     "build [SEED...]",
		Short:   "Crawl and keep the text of pages that may train",
		Long:    corpusLong + "\n\n" + crawlExit,
		Example: corpusExamples,
		RunE: func(command *cobra.Command, args []string) error {
			if err := flags.corpus.check(); err != nil {
				return err
			}
			flags.corpus.given = slices.ContainsFunc([]string{"policy", "unknown", "ai-txt", "overrides", "format", "shard-rows", "shard-bytes"}, command.Flags().Changed)
			if len(flags.corpus.from) > 0 {
				return flags.fromWARC(env, append(flags.corpus.from, args...))
			}
			return flags.run(env, args)
		},
	}
	var policies []string
	for _, p := range signal.Policies() {
		policies = append(policies, p.Name)
	}
	own := command.Flags()
	own.StringVarP(&flags.output, "output", "o", "", "corpus directory (default ./HOST-UTCSTAMP)")
	own.StringArrayVar(&flags.corpus.from, "from-warc", nil, "make documents of the archive `FILE` instead of a crawl; further arguments are archives, too")
	own.StringVar(&flags.seeds, "seeds", "", "read seeds from this file, one a line; - is standard input")
	own.BoolVar(&flags.json, "json", false, "print one decorum.summary/1 object")
	s := &flags.corpus.settings
	own.StringVar(&s.Policy, "policy", policies[0], "which signals count: "+strings.Join(policies, ", "))
	own.StringVar((*string)(&s.Unknown), "unknown", string(corpus.UnknownSeparate), "pages about which nothing is stated: separate, include or exclude")
	own.BoolVar(&s.AITxt, "ai-txt", false, "ask for ai.txt, too")
	own.StringVar(&flags.corpus.overrides, "overrides", "", "admit the pages of this YAML list, for which a license is held")
	own.StringVar((*string)(&s.Format), "format", string(shard.JSONLGzip), "of the shards: jsonl, jsonl.gz, jsonl.zst or parquet")
	own.IntVar(&s.Rows, "shard-rows", 100_000, "documents of a shard at most")
	s.Bytes = 512 << 20
	own.Var((*sizeFlag)(&s.Bytes), "shard-bytes", "of a shard, before compression")
	flags.settings = addSettings(command)
	return command
}

// sizeFlag is a flag that takes a size with its unit.
type sizeFlag int64

// Set reads a size.
func (f *sizeFlag) Set(text string) error {
	size, err := configs.ParseSize(text)
	*f = sizeFlag(size)
	return err
}

// String returns the size with its unit.
func (f *sizeFlag) String() string { return configs.Size(*f).String() }

// Type names what the flag takes.
func (f *sizeFlag) Type() string { return "SIZE" }

// check refuses values that are none of those there are.
func (f *corpusFlags) check() error {
	policy, err := signal.PolicyOf(f.settings.Policy)
	if err != nil {
		return usageError(err, "choose one of them with --policy")
	}
	f.settings.Policy = policy.String()
	if !slices.Contains([]corpus.Unknown{corpus.UnknownSeparate, corpus.UnknownInclude, corpus.UnknownExclude}, f.settings.Unknown) {
		return usageError(fmt.Errorf("--unknown %q is none of separate, include, exclude", f.settings.Unknown), "choose one of them")
	}
	if !slices.Contains([]shard.Format{shard.JSONL, shard.JSONLGzip, shard.JSONLZstd, shard.Parquet}, f.settings.Format) {
		return usageError(fmt.Errorf("--format %q is none of jsonl, jsonl.gz, jsonl.zst, parquet", f.settings.Format), "choose one of them")
	}
	if f.overrides == "" {
		return nil
	}
	data, err := os.ReadFile(f.overrides)
	if err == nil {
		_, err = signal.ReadOverrides(data)
	}
	if err != nil {
		return usageError(err, "each override has pattern, license, approver and expires")
	}
	return nil
}

// agrees refuses to resume a directory that holds something other than what the
// flags ask for.
func (f *corpusFlags) agrees(folder *folder) error {
	switch {
	case f == nil:
		return nil
	case folder.corpus == nil:
		return &commandError{code: exitDirectory, err: fmt.Errorf("%s holds a crawl without a corpus", folder.Path()), hint: "name another directory with -o"}
	case f.given && (*folder.corpus != f.settings || f.overrides != ""):
		return usageError(fmt.Errorf("the corpus in %s was begun with other settings, policy %s among them", folder.Path(), folder.corpus.Policy),
			"go on without these flags; decorum corpus decide applies another policy")
	}
	return nil
}

// files returns what a new corpus directory has before its state: the overrides
// and the settings.
func (f *corpusFlags) files() ([]crawldir.File, error) {
	if f == nil {
		return nil, nil
	}
	var files []crawldir.File
	if f.overrides != "" {
		overrides, err := os.ReadFile(f.overrides)
		if err != nil {
			return nil, fmt.Errorf("read overrides: %w", err)
		}
		files = append(files, crawldir.File{Name: corpus.OverridesName, Data: overrides})
	}
	settings, err := f.settings.encode()
	if err != nil {
		return nil, err
	}
	return append(files, crawldir.File{Name: corpusName, Data: settings}), nil
}

func (s corpusSettings) encode() ([]byte, error) {
	data, err := yaml.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("write corpus settings: %w", err)
	}
	return data, nil
}

func parseCorpusSettings(data []byte) (*corpusSettings, error) {
	var s corpusSettings
	if err := yaml.UnmarshalWithOptions(data, &s, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("read %s: %w", corpusName, err)
	}
	return &s, nil
}

// outputs returns those that a corpus adds to a crawl; none without a corpus.
func (s *corpusSettings) outputs() map[string]string {
	if s == nil {
		return nil
	}
	return corpus.Outputs()
}
