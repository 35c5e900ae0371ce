// Package frontier decides which URLs a crawl knows: it brings them into one
// canonical form and judges whether they are in scope.
//
// [Canonical] makes the one spelling under which a URL is stored, compared and
// sent; [Scope] says whether it belongs to the crawl.
package frontier
