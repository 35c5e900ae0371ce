package lint_test

import (
	"fmt"

	"github.com/decorum-crawler/decorum/robots/lint"
)

func ExampleText() {
	for _, f := range lint.Text([]byte("User-agent: *\nDisallow: private\nAlow: /open\n")) {
		fmt.Printf("line %d: %s: %s\n  write %s\n", f.Line, f.Code, f.Message, f.Fix)
	}
	// Output:
	// line 2: no-leading-slash: "private" begins with neither / nor *, so it matches no URL
	//   write Disallow: /private
	// line 3: misspelt-field: "Alow" is not a field that crawlers know, so the line is ignored
	//   write Allow: /open
}
