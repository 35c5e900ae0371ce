package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/corpus/evidence"
	"github.com/decorum-crawler/decorum/corpus/signal"
	"github.com/decorum-crawler/decorum/crawler/fetch"
)

func newCorpusRecheck(env environment) *cobra.Command {
	var given *settings
	command := &cobra.Command{
		Use: "recheck DIR", Short: "Check whether sites have opted out since",
		Example: "  decorum corpus recheck corpus",
		Long: "Fetch the robots.txt and the other policy files of each site again, and the headers of each document, at the site's\n" +
			"pace, and write a removals file that lists the documents whose sites have opted out since. Nothing is deleted;\n" +
			"decorum corpus purge does that. For a redirected document every origin in the chain is checked; the strictest answer\n" +
			"wins.\n\n" +
			"Anything unreachable, or no longer a redirect or page, keeps its recorded state; a line for each says what could not be\n" +
			"asked and why. Where robots.txt is unreachable or a license cannot be read, documents are on hold: they keep their\n" +
			"decision, and a line for each such site says how many there are. They are listed for removal only if another origin in\n" +
			"their chain has opted out.\n\n" +
			"EXIT STATUS: 0 everything was asked and nothing is to be removed, 1 documents to remove, 2 usage error, 3 nothing could be\n" +
			"asked, 5 no corpus in DIR, or its crawl is running, 6 nothing to remove among what could be asked, but something could\n" +
			"not be asked, 130 or 143 stopped by a signal.",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return recheckCorpus(env, args[0], given) },
	}
	given = addSettings(command, requestKeys...)
	return command
}

func recheckCorpus(env environment, directory string, given *settings) error {
	o, err := openCorpus(env, directory, true)
	if err != nil {
		return err
	}
	defer o.close() //nolint:errcheck // nothing is written to the state
	c, err := given.merge(env, o.config)
	if err != nil {
		return err
	}
	stop := newStopper(env.signals, nil)
	defer stop.end()
	r, err := newRecheck(env, o, c)
	if err != nil {
		return err
	}
	defer r.client.Close()
	if err := r.all(stop.soft); err != nil && stop.soft.Err() == nil {
		return err
	}
	name := ""
	if len(r.removals) > 0 {
		if name, err = corpus.WriteRemovals(o.root, time.Now(), r.removals); err != nil {
			return err
		}
	}
	r.print(env.stdout)
	if name != "" {
		fmt.Fprintf(env.stdout, "%s lists them; decorum corpus purge %s removes them\n", name, safe(directory))
	}
	if code, stopped := stop.exitCode(); stopped {
		return &commandError{code: code}
	}
	return r.conclusion()
}

// recheck fetches again what the decisions of a corpus are based on.
type recheck struct {
	corpus   *openedCorpus
	client   *fetch.Client
	checker  *corpus.Rechecker
	removals []corpus.Removal

	checked   int
	unasked   int                 // documents of which something could not be asked
	unreached map[string]string   // origins and URLs, with the cause
	changed   map[string]bool     // URLs that are no longer what they were
	holds     map[corpus.Hold]int // number of documents with this origin in their chain
}

func newRecheck(env environment, o *openedCorpus, c configs.Config) (*recheck, error) {
	policy, err := signal.PolicyOf(o.manifest.Policy)
	if err != nil {
		return nil, err
	}
	overrides, err := corpus.ReadOverridesOf(o.root)
	if err != nil {
		return nil, err
	}
	kept := evidence.New(o.root)
	options := fetchOptions(env, c, o.manifest.Scope)
	options.Evidence = kept.KeepRobots
	client := fetch.New(options)
	return &recheck{corpus: o, client: client, unreached: map[string]string{}, changed: map[string]bool{}, holds: map[corpus.Hold]int{}, checker: &corpus.Rechecker{
		Options: corpus.Options{
			Agent: c.AgentToken, Policy: policy, Overrides: overrides, AITxt: o.settings.AITxt,
			Consent: o.settings.Unknown == corpus.UnknownExclude, Store: keepFile(kept),
		},
		Load: kept.Load, Robots: client.Robots, File: client.File, Header: client.Header,
	}}, nil
}

func (r *recheck) all(ctx context.Context) error {
	return r.checker.Each(ctx, r.corpus.root, func(c corpus.Rechecked) error {
		r.checked++
		for _, u := range c.Unreached {
			r.unreached[u.URL] = u.Cause
		}
		for _, address := range c.Changed {
			r.changed[address] = true
		}
		if len(c.Unreached)+len(c.Holds) > 0 {
			r.unasked++
		}
		for _, hold := range c.Holds {
			r.holds[hold]++
		}
		if c.Decision.Train == signal.TrainExcluded {
			r.removals = append(r.removals, c.Removal(time.Now()))
		}
		return nil
	})
}

// conclusion returns what the command ends with.
func (r *recheck) conclusion() error {
	switch {
	case len(r.removals) > 0:
		return errFindings
	case r.unasked > 0 && r.unasked == r.checked:
		return &commandError{code: exitNothing}
	case r.unasked > 0:
		return &commandError{code: exitPartial}
	}
	return nil
}

// print prints a line for each origin whose terms cannot be read now, one for
// whatever else could not be asked, and the sums.
func (r *recheck) print(out io.Writer) {
	holds := slices.SortedFunc(maps.Keys(r.holds), func(a, b corpus.Hold) int {
		return cmp.Or(cmp.Compare(a.Origin, b.Origin), cmp.Compare(a.Basis, b.Basis))
	})
	for _, hold := range holds {
		fmt.Fprintf(out, "%s: %s on hold because of %s; decision unchanged\n", safe(hold.Origin), plural(r.holds[hold], "document"), safe(hold.Basis))
	}
	for _, address := range slices.Sorted(maps.Keys(r.unreached)) {
		fmt.Fprintf(out, "%s: could not be asked: %s\n", safe(address), safe(r.unreached[address]))
	}
	fmt.Fprintf(out, "%s checked, %d to remove, %d not fully checked", plural(r.checked, "document"), len(r.removals), r.unasked)
	if len(r.changed) > 0 {
		fmt.Fprintf(out, "; %s no longer as recorded", plural(len(r.changed), "URL"))
	}
	fmt.Fprintln(out)
}
