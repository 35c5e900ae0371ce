package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/corpus/shard"
	"github.com/decorum-crawler/decorum/corpus/signal"
	"github.com/decorum-crawler/decorum/corpus/text"
	"github.com/decorum-crawler/decorum/crawler/crawldir"
)

func newCorpus(env environment) *cobra.Command {
	parent := &cobra.Command{Use: "corpus", Short: "Build a training corpus with consent on record"}
	parent.AddCommand(newCorpusBuild(env), newCorpusStats(env), newCorpusVerify(env), newCorpusDecide(env), newCorpusDedupe(env), newCorpusExport(env), newCorpusMerge(env), newCorpusRecheck(env), newCorpusPurge(env))
	return parent
}

// corpusName holds the settings of a corpus, which are fixed when it is started.
const corpusName = "corpus.yaml"

// corpusSettings are the settings that a corpus is built with.
type corpusSettings struct {
	Policy  string         `yaml:"policy"` // name and version
	Unknown corpus.Unknown `yaml:"unknown"`
	AITxt   bool           `yaml:"ai-txt"`
	Text    text.Format    `yaml:"text"`
	PDF     bool           `yaml:"pdf,omitempty"`
	Near    string         `yaml:"near,omitempty"` // how near duplicates are looked for, see corpus dedupe
	Format  shard.Format   `yaml:"format"`
	Rows    int            `yaml:"shard-rows"`
	Bytes   int64          `yaml:"shard-bytes"`
}

// corpusFlags are the flags that corpus build adds to those of a crawl.
type corpusFlags struct {
	settings  corpusSettings
	overrides string
	from      []string // archives, instead of a crawl
	given     bool     // some of the settings were set by flags
	form      bool     // the form of the texts was one of them
}

const corpusExamples = `  decorum corpus build https://example.com --contact https://you.example/bot -o corpus
  decorum corpus build https://example.com --policy cautious --format parquet --contact you@example.com
  decorum corpus build --from-warc crawl/warc/*.warc.gz -o corpus`

const corpusLong = `Crawl a site and keep the main text of its pages, each with what its site states about AI training.

A page is included only if no statement of its site is against training. Statements are the robots.txt token
__usage_ai-training, Content-Usage, Content-Signal, TDMRep, noai and noml, and RSL. Pages without a statement go
into separate shards. The evidence for every decision is kept; decorum corpus verify derives each decision from
it again.

With --from-warc, build the documents from web archives (WARC; plain, .gz or .zst), made by decorum or by another
crawler, without using the network. Each page is judged by the robots.txt of its site in the archives. Missing
evidence is reported and listed in the manifest. Documents whose sites opted out later in the same archives are
listed in removals/, for decorum corpus purge.`

func newCorpusBuild(env environment) *cobra.Command {
	flags := crawlFlags{corpus: &corpusFlags{}}
	command := &cobra.Command{
		Use:     "build [SEED...]",
		Short:   "Crawl and keep the text of pages that allow training",
		Long:    corpusLong + "\n\n" + crawlExit,
		Example: corpusExamples,
		RunE: func(command *cobra.Command, args []string) error {
			if err := flags.corpus.check(); err != nil {
				return err
			}
			flags.corpus.given = slices.ContainsFunc([]string{"policy", "unknown", "ai-txt", "overrides", "text", "pdf", "format", "shard-rows", "shard-bytes"}, command.Flags().Changed)
			flags.corpus.form = command.Flags().Changed("text")
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
	own.StringArrayVar(&flags.corpus.from, "from-warc", nil, "build documents from the archive `FILE` instead of a crawl; further arguments are archives too")
	own.StringVar(&flags.seeds, "seeds", "", "read seeds from this file, one per line; - is standard input")
	own.BoolVar(&flags.json, "json", false, "print one decorum.summary/1 object")
	s := &flags.corpus.settings
	own.StringVar(&s.Policy, "policy", policies[0], "policy that decides which statements count: "+strings.Join(policies, ", "))
	own.StringVar((*string)(&s.Unknown), "unknown", string(corpus.UnknownSeparate), "what to do with pages without a statement: separate, include or exclude")
	own.BoolVar(&s.AITxt, "ai-txt", false, "fetch ai.txt and judge by it too")
	own.StringVar(&flags.corpus.overrides, "overrides", "", "YAML list of pages you hold a license for")
	own.StringVar((*string)(&s.Text), "text", string(text.Markdown), "form of the texts: markdown or plain")
	own.BoolVar(&s.PDF, "pdf", false, "read PDF files too, with pdftotext of Poppler")
	own.StringVar((*string)(&s.Format), "format", string(shard.JSONLGzip), "shard format: jsonl, jsonl.gz, jsonl.zst or parquet")
	own.IntVar(&s.Rows, "shard-rows", 100_000, "maximum documents per shard")
	s.Bytes = 512 << 20
	own.Var((*sizeFlag)(&s.Bytes), "shard-bytes", "maximum size of a shard before compression")
	flags.signing.add(own)
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

// Type returns the name of the value in help texts.
func (f *sizeFlag) Type() string { return "SIZE" }

// check refuses unknown values.
func (f *corpusFlags) check() error {
	policy, err := signal.PolicyOf(f.settings.Policy)
	if err != nil {
		return usageError(err, "choose one with --policy")
	}
	f.settings.Policy = policy.String()
	if !slices.Contains([]corpus.Unknown{corpus.UnknownSeparate, corpus.UnknownInclude, corpus.UnknownExclude}, f.settings.Unknown) {
		return usageError(fmt.Errorf("--unknown %q is not one of separate, include, exclude", f.settings.Unknown), "choose one of them")
	}
	if !slices.Contains([]text.Format{text.Plain, text.Markdown}, f.settings.Text) {
		return usageError(fmt.Errorf("--text %q is not one of plain, markdown", f.settings.Text), "choose one of them")
	}
	if !slices.Contains([]shard.Format{shard.JSONL, shard.JSONLGzip, shard.JSONLZstd, shard.Parquet}, f.settings.Format) {
		return usageError(fmt.Errorf("--format %q is not one of jsonl, jsonl.gz, jsonl.zst, parquet", f.settings.Format), "choose one of them")
	}
	if f.overrides == "" {
		return nil
	}
	data, err := readInput(f.overrides)
	if err == nil {
		_, err = signal.ReadOverrides(data)
	}
	if err != nil {
		return usageError(err, "each override needs pattern, license, approver and expires")
	}
	return nil
}

// checkUnchanged refuses to resume a directory whose corpus differs from what the
// flags ask for.
func (f *corpusFlags) checkUnchanged(folder *folder) error {
	if f != nil && folder.corpus != nil && !f.form {
		f.settings.Text = folder.corpus.Text // the default was another one in older versions
	}
	if f != nil && folder.corpus != nil {
		f.settings.Near = folder.corpus.Near // no flag of a build
	}
	switch {
	case f == nil:
		return nil
	case folder.corpus == nil:
		return &commandError{code: exitDirectory, err: fmt.Errorf("%s contains a crawl without a corpus", folder.Path()), hint: "name another directory with -o"}
	case f.given && (*folder.corpus != f.settings || f.overrides != ""):
		return usageError(fmt.Errorf("the corpus in %s was started with other settings, such as policy %s", folder.Path(), folder.corpus.Policy),
			"resume it without these flags; decorum corpus decide applies another policy")
	}
	return nil
}

// files returns the files that a new corpus directory gets before its state: the
// overrides and the settings.
func (f *corpusFlags) files() ([]crawldir.File, error) {
	if f == nil {
		return nil, nil
	}
	var files []crawldir.File
	if f.overrides != "" {
		overrides, err := readInput(f.overrides)
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
	s := corpusSettings{Text: text.Plain} // what older versions made
	if err := yaml.UnmarshalWithOptions(data, &s, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("read %s: %w", corpusName, err)
	}
	return &s, nil
}

// outputs returns the outputs that a corpus adds to a crawl; none without a
// corpus.
func (s *corpusSettings) outputs() map[string]string {
	if s == nil {
		return nil
	}
	return corpus.Outputs()
}
