// Package testsite is a programmable local web with a request log.
//
// A [Web] has many sites. Each [Site] is a real net/http server on its own loopback
// port, so sites differ in origin and in host, the politeness key (host name +
// port). Every request to any site is recorded in one log, with which tests check
// how a crawler behaved on the wire.
//
//	web := testsite.New()
//	defer web.Close()
//	site := web.Site("shop")
//	site.Robots("User-agent: *\nDisallow: /private/\n")
//	site.Page("/", "<a href=/about>about</a>")
//	// crawl site.URL() …
//	web.RobotsFirst()                  // violations, if any
//	web.TooFast("shop", time.Second)   // likewise
//
// [Shop] fills a site with a small shop. [FullShop] makes a richer one, with a
// sitemap index and more traps, and returns an inventory.
//
// All methods are safe for concurrent use, content may change while a crawl runs,
// and the same seed makes the same shop, except for the port number in absolute
// URLs.
//
// The times in the log are the server's. In the log a response ends when its
// handler returns, just before its last bytes are sent, so a gap in the log is
// never shorter than the gap that the client kept. Servers listen on real sockets,
// so they cannot be used in a testing/synctest bubble.
package testsite
