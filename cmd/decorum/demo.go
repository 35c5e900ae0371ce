package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/decorum-crawler/decorum/internal/testsite"
)

func newDemo(env environment) *cobra.Command {
	var output string
	command := &cobra.Command{
		Use:   "demo",
		Short: "Crawl, audit and build a corpus from a small built-in site",
		Long: "Start a small site on this machine, crawl it, explain why one of its URLs is blocked, audit its sitemap,\n" +
			"and build a corpus from the pages that allow training. Uses no network.",
		Example: "  decorum demo\n  decorum demo -o demo",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return demo(env, output) },
	}
	command.Flags().StringVarP(&output, "output", "o", "", "crawl directory; the corpus goes into a directory of this name with -corpus appended (default a temporary directory)")
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
	made := output + "-corpus"
	for i, step := range []struct {
		code int
		args []string
	}{
		{exitOK, []string{"crawl", shop.URL(), "--delay", "20ms", "-o", output}},
		{exitOK, []string{"state", "why", output, shop.URL() + "/account/orders"}},
		{exitFindings, []string{"audit", shop.URL(), "--delay", "20ms"}}, // it has one blocked URL
		{exitOK, []string{"corpus", "build", shop.URL(), "--delay", "20ms", "--store", "warc", "-o", made}},
		{exitOK, []string{"corpus", "verify", made}},
	} {
		if i > 0 {
			fmt.Fprintln(env.stdout)
		}
		fmt.Fprintf(env.stdout, "$ decorum %s\n", strings.Join(step.args, " "))
		if code := run(env.with(step.args...)); code != step.code {
			return &commandError{code: code}
		}
	}
	fmt.Fprintf(env.stdout, "\nThe site received %d requests, robots.txt first.\n", len(web.Log()))
	return nil
}

// with returns the environment with other arguments.
func (e environment) with(args ...string) environment {
	e.args = args
	return e
}
