package main

import (
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// update writes what the commands print into the scripts.
var update = flag.Bool("update", false, "renew the golden output of the scripts")

func TestMain(m *testing.M) {
	switch os.Getenv("DECORUM_SPEED") {
	case "server":
		serveSpeed()
		return
	case "bare":
		crawlBare(os.Args[1:])
		return
	}
	testscript.Main(m, map[string]func(){
		"decorum": func() {
			main()
		},
	})
}

func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("each command is a process of its own, which the race detector makes slow to start")
	}
	testscript.Run(t, testscript.Params{Dir: "testdata", UpdateScripts: *update})
}
