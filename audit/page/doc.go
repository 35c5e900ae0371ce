// Package page writes the results of an audit as one HTML file for a browser:
// the verdict, figures, charts and tables that can be sorted and filtered. Use
// [Page.Write].
//
// The file loads nothing: it contains its style and script, and its content
// security policy allows only these two, by their hashes. Without the script all
// rows are shown, in the order of the audit. Text from sites is escaped by
// html/template, and invisible characters are written as escapes. Only http and
// https URLs become links.
//
// The address keeps the state of the tables, so that a view can be passed on:
// "#findings.sort=3:descending&findings.text=cart&findings.code=blocked".
package page
