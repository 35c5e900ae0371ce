package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/corpus/archive"
	"github.com/decorum-crawler/decorum/corpus/text"
	"github.com/decorum-crawler/decorum/crawler/crawldir"
)

const verifyLong = `Audit a corpus: that it holds what its manifest says and nothing else, that its counts add up, that each document is
as it was journaled, that every decision follows from the stored evidence, and that each text is what its page in the
archive yields, if there is an archive. Uses no network. docs/corpus-audit.md lists what finds which change.

A manifest that is signed (corpus build --sign) shows by whom: --key names the public key, and then a manifest without
its signature is a mismatch. Without a signature, someone who changes all files of a corpus alike is not found.

EXIT STATUS: 0 no mismatch, 1 a mismatch, 2 usage error, 5 no corpus in DIR, 130 or 143 stopped by a signal.`

func newCorpusVerify(env environment) *cobra.Command {
	v := verification{env: env}
	command := &cobra.Command{
		Use: "verify DIR", Short: "Audit a corpus: files, sums, decisions, texts, signature",
		Example: "  decorum corpus verify corpus\n  decorum corpus verify corpus --key minisign.pub",
		Long:    verifyLong,
		Args:    cobra.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return v.run(args[0]) },
	}
	command.Flags().StringVar(&v.key, "key", "", "minisign public key that the manifest must be signed by, a file or the key itself")
	command.Flags().BoolVar(&v.quick, "no-extraction", false, "do not extract the texts again from the archive")
	return command
}

// verification is a run of corpus verify.
type verification struct {
	env   environment
	key   string
	quick bool

	corpus *openedCorpus
	path   string
	wrong  int
	agreed []string // what was compared, for the last line
	notes  []string // what was not compared
}

func (v *verification) run(directory string) error {
	o, err := openCorpus(v.env, directory, false)
	if err != nil {
		return err
	}
	defer o.close() //nolint:errcheck // it is only read
	v.corpus, v.path = o, directory
	if err := v.signature(); err != nil {
		return err
	}
	judge, err := o.judge()
	if err != nil {
		return err
	}
	stop := newStopper(v.env.signals, nil)
	defer stop.end()
	if err := judge.Verify(o.root, ofCrawl, v.say); err != nil {
		v.say(err.Error())
	}
	if err := v.texts(stop.soft); err != nil && stop.soft.Err() == nil {
		v.say(err.Error())
	}
	if code, stopped := stop.exitCode(); stopped {
		return &commandError{code: code}
	}
	return v.conclude()
}

func (v *verification) say(what string) {
	v.wrong++
	fmt.Fprintln(v.env.stdout, safe(what))
}

// conclude prints what agrees and what was not compared.
func (v *verification) conclude() error {
	for _, note := range v.notes {
		fmt.Fprintf(v.env.stderr, "decorum: %s\n", safe(note))
	}
	if v.wrong > 0 {
		return errFindings
	}
	counts := v.corpus.manifest.Counts
	_, err := fmt.Fprintf(v.env.stdout, "ok: %s, %s excluded; all digests, counts and decisions agree\n",
		plural(int(counts.Documents), "document"), plural(int(counts.Excluded+counts.Refused), "page"))
	for _, what := range v.agreed {
		fmt.Fprintf(v.env.stdout, "ok: %s\n", safe(what))
	}
	return err
}

// signature checks the signature of the manifest.
func (v *verification) signature() error {
	if v.key == "" {
		if _, err := v.corpus.root.Stat(corpus.SignatureName); err == nil {
			v.notes = append(v.notes, "the signature of the manifest was not checked: name the public key with --key")
		}
		return nil
	}
	key, err := publicKey(v.key)
	if err != nil {
		return err
	}
	comment, err := corpus.CheckSignature(v.corpus.root, key)
	if err != nil {
		v.say(err.Error())
		return nil
	}
	v.agreed = append(v.agreed, fmt.Sprintf("signed by %s: %s", key, comment))
	return nil
}

// texts extracts the documents again from their archive, if there is one.
func (v *verification) texts(ctx context.Context) error {
	if v.quick {
		v.notes = append(v.notes, "the texts were not compared with the archive: --no-extraction")
		return nil
	}
	names, err := v.archives()
	if err != nil {
		return err
	}
	if len(names) == 0 && v.archived() {
		v.notes = append(v.notes, "the texts were not compared with their pages: the archive is missing")
		return nil
	}
	if len(names) == 0 {
		v.notes = append(v.notes, "the texts were not compared with their pages: the corpus keeps no archive (corpus build --store warc)")
		return nil
	}
	source, err := archive.Open(ctx, names, archive.Options{MaxBytes: int64(v.corpus.config.MaxPageBytes)})
	if inputs := v.corpus.manifest.Inputs; len(inputs) > 0 && (err != nil || !slices.Equal(inputs, source.Inputs())) {
		v.notes = append(v.notes, "the texts were not compared with their pages: the archives that the corpus was made from are not there, or have changed")
		return nil
	}
	if err != nil {
		return err
	}
	extract, closePools, err := v.extractors(ctx)
	if err != nil {
		v.notes = append(v.notes, "the texts were not compared with their pages: "+err.Error())
		return nil
	}
	defer closePools()
	compared, err := archive.Comparison{
		Source: source, Agent: v.corpus.config.AgentToken, Extract: extract, Say: v.say, Partial: len(v.corpus.manifest.Merged) > 0,
	}.Run(ctx, v.corpus.root)
	if err != nil {
		return err
	}
	v.conclusion(compared)
	return nil
}

// extractors returns a function that extracts a page in either format: a corpus that
// was merged may have both.
func (v *verification) extractors(ctx context.Context) (extract func(context.Context, text.Page, text.Format) (text.Result, error), end func(), err error) {
	options := text.Options{Start: v.env.extractor()}
	if v.corpus.settings.PDF {
		if options.PDF, err = text.FindPDF(ctx); err != nil {
			return nil, nil, err
		}
	}
	pools := map[text.Format]*text.Pool{}
	for _, format := range []text.Format{text.Plain, text.Markdown} {
		options.Format = format
		pools[format] = text.NewPool(options)
	}
	extract = func(ctx context.Context, page text.Page, format text.Format) (text.Result, error) {
		return pools[format].Extract(ctx, page)
	}
	end = func() {
		for _, pool := range pools {
			pool.Close() //nolint:errcheck // its processes end with it
		}
	}
	return extract, end, nil
}

// archived reports whether the manifest lists an archive.
func (v *verification) archived() bool {
	return slices.ContainsFunc(v.corpus.manifest.Outputs, func(o corpus.Output) bool { return o.Name == crawldir.IndexName })
}

// archives returns the files that have the pages of the corpus.
func (v *verification) archives() (names []string, err error) {
	for _, input := range v.corpus.manifest.Inputs {
		names = append(names, filepath.FromSlash(input.Name))
	}
	if len(names) > 0 {
		return names, nil
	}
	own, err := crawldir.ArchiveIn(v.corpus.root).Files()
	for _, name := range own {
		names = append(names, filepath.Join(v.path, filepath.FromSlash(name)))
	}
	return names, err
}

func (v *verification) conclusion(compared archive.Compared) {
	v.agreed = append(v.agreed, plural(int(compared.Documents), "text")+" extracted again from the archive, with the same result")
	var left []string
	if compared.Older > 0 {
		left = append(left, plural(int(compared.Older), "text")+" made by another version of the extractor")
	}
	if compared.Absent > 0 {
		left = append(left, plural(int(compared.Absent), "text")+" whose pages are in no archive")
	}
	if compared.Late > 0 {
		left = append(left, plural(int(compared.Late), "page")+" took too long to extract")
	}
	if len(left) > 0 {
		v.notes = append(v.notes, "not compared with their pages: "+strings.Join(left, ", "))
	}
}

// ofCrawl reports whether a file of a corpus belongs to its crawl or its build.
func ofCrawl(name string) bool {
	return crawldir.Belongs(name) || slices.Contains([]string{corpusName, buildName, inputsName}, name)
}
