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
			"Anything unreachable, or no longer a redirect or page, keeps its recorded state. Where robots.txt is unreachable or a\n" +
			"license cannot be read, documents are on hold: they keep their decision, and a line for each such site says how many\n" +
			"there are. They are listed for removal only if another origin in their chain has opted out.\n\n" +
			"EXIT STATUS: 0 nothing to remove, 1 documents to remove, 2 usage error, 5 no corpus in DIR, or its crawl is running,\n" +
			"130 or 143 stopped by a signal.",
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
	r.printHolds(env.stdout)
	fmt.Fprintf(env.stdout, "%s checked, %d to remove; %d sites or pages unreachable\n", plural(r.checked, "document"), len(r.removals), len(r.unreached))
	if name != "" {
		fmt.Fprintf(env.stdout, "%s lists them; decorum corpus purge %s removes them\n", name, safe(directory))
	}
	if code, stopped := stop.exitCode(); stopped {
		return &commandError{code: code}
	}
	if len(r.removals) > 0 {
		return errFindings
	}
	return nil
}

// recheck fetches again what the decisions of a corpus are based on.
type recheck struct {
	corpus   *openedCorpus
	client   *fetch.Client
	checker  *corpus.Rechecker
	removals []corpus.Removal

	checked   int
	unreached map[string]bool     // origins and URLs
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
	return &recheck{corpus: o, client: client, unreached: map[string]bool{}, holds: map[corpus.Hold]int{}, checker: &corpus.Rechecker{
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
		for _, address := range c.Unreached {
			r.unreached[address] = true
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

// printHolds prints a line for each origin whose terms cannot be read now.
func (r *recheck) printHolds(out io.Writer) {
	holds := slices.SortedFunc(maps.Keys(r.holds), func(a, b corpus.Hold) int {
		return cmp.Or(cmp.Compare(a.Origin, b.Origin), cmp.Compare(a.Basis, b.Basis))
	})
	for _, hold := range holds {
		fmt.Fprintf(out, "%s: %s on hold because of %s; decision unchanged\n", safe(hold.Origin), plural(r.holds[hold], "document"), safe(hold.Basis))
	}
}
