package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/internal/testsite"
)

func newDemo(env environment) *cobra.Command {
	var output string
	command := &cobra.Command{
		Use:     "demo",
		Short:   "Start a small site on loopback, crawl it and audit it",
		Long:    "Start a small site on this machine, crawl it, explain one of its blocked URLs, and audit its sitemap. Needs no network.",
		Example: "  decorum demo\n  decorum demo -o demo",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return demo(env, output) },
	}
	command.Flags().StringVarP(&output, "output", "o", "", "crawl directory (default a new one in the temporary directory)")
	return command
}

func demo(env environment, output string) error {
	web := testsite.New()
	defer web.Close()
	shop := web.Site("shop")
	testsite.Shop(shop, 60)
	if output == "" {
		folder, err := os.MkdirTemp("", "decorum-demo-")
		if err != nil {
			return &commandError{code: exitIO, err: fmt.Errorf("make demo directory: %w", err)}
		}
		output = filepath.Join(folder, "crawl")
	}
	fmt.Fprintf(env.stdout, "$ decorum crawl %s --delay 20ms -o %s\n", shop.URL(), output)
	code := run(env.with("crawl", shop.URL(), "--delay", "20ms", "-o", output))
	if code != exitOK {
		return &commandError{code: code}
	}
	blocked := shop.URL() + "/account/orders"
	fmt.Fprintf(env.stdout, "\n$ decorum state why %s %s\n", output, blocked)
	if code := run(env.with("state", "why", output, blocked)); code != exitOK {
		return &commandError{code: code}
	}
	fmt.Fprintf(env.stdout, "\n$ decorum audit %s --delay 20ms\n", shop.URL())
	if code := run(env.with("audit", shop.URL(), "--delay", "20ms")); code != exitFindings { // it has one blocked URL
		return &commandError{code: code}
	}
	fmt.Fprintf(env.stdout, "\nThe site counted %d requests, robots.txt first.\n", len(web.Log()))
	return nil
}

// with gives the environment with other arguments.
func (e environment) with(args ...string) environment {
	e.args = args
	return e
}
