// Package trap finds the parts of a site that have no end: calendars, facets,
// queries that grow. It has a budget of pages without new text for each pattern of
// URLs, and closes a pattern that exceeds it.
//
// A [Detector] is asked by [Detector.Closed] before a URL is requested, and told
// about each page by [Detector.Read] and [Page.End].
//
// A pattern is the URL with its numbers, ids and the values of its query left out
// ("a.example/cal?month="). A family is coarser: the first folder of the path and
// whether there is a query ("a.example/shop/*?*"). A page is fresh if it has a run
// of text between two tags that no page of its pattern had before. Text that never
// repeats, such as that of a generator of random sentences, is no trap to this
// package; a limit of depth or pages ends it.
package trap
