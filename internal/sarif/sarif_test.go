package sarif

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	peer "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/xeipuuv/gojsonschema"
)

func TestWriteFollowsTheSchema(t *testing.T) {
	schema := schema(t)
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
			verdict, err := schema.Validate(gojsonschema.NewBytesLoader(out.Bytes()))
			if err != nil || !verdict.Valid() {
				t.Errorf("%v, %v in %s", err, verdict.Errors(), out.Bytes())
			}
			report, err := peer.FromBytes(out.Bytes())
			if err != nil || len(report.Runs) != 1 || len(report.Runs[0].Results) != len(results) {
				t.Errorf("read by another: got %v, %+v, want %d results", err, report, len(results))
			}
		})
	}
}

func TestTheSchemaRefuses(t *testing.T) {
	verdict, err := schema(t).Validate(gojsonschema.NewStringLoader(`{"version":"2.1.0","runs":[{"results":[]}]}`))
	if err != nil || verdict.Valid() {
		t.Errorf("got %v, valid, want a missing tool", err)
	}
}

// schema gives the JSON schema of SARIF 2.1.0, which the peer has in its
// source.
func schema(t *testing.T) *gojsonschema.Schema {
	t.Helper()
	folder, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif").Output()
	if err != nil {
		t.Fatal(err)
	}
	source, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(folder)), "schema.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	ast.Inspect(source, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING && len(literal.Value) > len(text) {
			text = literal.Value
		}
		return true
	})
	if text, err = strconv.Unquote(text); err != nil {
		t.Fatal(err)
	}
	schema, err := gojsonschema.NewSchema(gojsonschema.NewStringLoader(text))
	if err != nil {
		t.Fatal(err)
	}
	return schema
}
