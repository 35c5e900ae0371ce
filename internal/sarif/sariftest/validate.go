// Package sariftest validates logs by the JSON schema of SARIF 2.1.0, for tests.
package sariftest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	_ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif" // has the schema in its source
	"github.com/xeipuuv/gojsonschema"
)

// Validate returns the violations of the schema by a log; none if it is valid.
func Validate(t *testing.T, log []byte) []string {
	t.Helper()
	verdict, err := schema(t).Validate(gojsonschema.NewBytesLoader(log))
	if err != nil {
		return []string{err.Error()}
	}
	var faults []string
	for _, fault := range verdict.Errors() {
		faults = append(faults, fault.String())
	}
	return faults
}

// schema returns the JSON schema of SARIF 2.1.0, which is in the source of
// go-sarif.
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
