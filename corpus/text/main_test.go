package text

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv("DECORUM_TEXT_CHILD") != "" {
		if err := serve(os.Stdin, os.Stdout, oddChild); err != nil {
			panic(err)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// The date parser of the library makes every command slow to start; go.mod
// replaces it.
func TestTheDateParserIsReplaced(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), "go-dateparser/internal") {
		t.Error("got the tables of 200 languages linked")
	}
}
