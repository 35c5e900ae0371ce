package sarif

import (
	"bytes"
	"testing"

	peer "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/decorum-crawler/decorum/internal/sarif/sariftest"
)

func TestWriteFollowsTheSchema(t *testing.T) {
	tests := map[string][]Result{
		"nothing found": nil,
		"some": {
			{Rule: "blocked", Level: "error", Message: "<b> \"quoted\" \u2028", URI: "https://shop.example/robots.txt", Line: 3},
			{Rule: "utf-16", Level: "warning", Message: "the file is UTF-16", URI: "robots.txt"},
			{Rule: "blocked", Level: "note", Message: "again", URI: "robots.txt", Line: 1},
		},
	}
	for name, results := range tests {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := Write(&out, "1.0", results); err != nil {
				t.Fatal(err)
			}
			if faults := sariftest.Validate(t, out.Bytes()); len(faults) > 0 {
				t.Errorf("%q in %s", faults, out.Bytes())
			}
			report, err := peer.FromBytes(out.Bytes())
			if err != nil || len(report.Runs) != 1 || len(report.Runs[0].Results) != len(results) {
				t.Errorf("read by another: got %v, %+v, want %d results", err, report, len(results))
			}
		})
	}
}

func TestTheSchemaRefuses(t *testing.T) {
	if faults := sariftest.Validate(t, []byte(`{"version":"2.1.0","runs":[{"results":[]}]}`)); len(faults) == 0 {
		t.Error("got no fault, want a missing tool")
	}
}
