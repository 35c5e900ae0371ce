// Package page writes what an audit found as one HTML file for a browser: the
// verdict, figures, charts and tables that sort and filter. [Page.Write] is all
// there is.
//
// The file loads nothing: style and script are in it, and its content security
// policy allows these two by their hashes and nothing else. Without the script
// all rows are there, in the order of the audit. Text from elsewhere is escaped
// by html/template, and characters that cannot be seen are written as escapes.
// Only http and https URLs become links.
//
// The address keeps the state of the tables, so that a view can be passed on:
// "#findings.sort=3:descending&findings.text=cart&findings.code=blocked".
package page
