// Package testsite is a programmable local web with a request log.
//
// A [Web] holds many sites. Each [Site] is a real net/http server on a loopback
// port of its own, so sites differ in origin, and in host in the sense of the
// politeness key (host name + port). Every request to any site is written to one
// log, from which tests prove how a crawler behaved on the wire.
//
//	web := testsite.New()
//	defer web.Close()
//	site := web.Site("shop")
//	site.Robots("User-agent: *\nDisallow: /private/\n")
//	site.Page("/", "<a href=/about>about</a>")
//	// crawl site.URL() …
//	web.RobotsFirst()                  // violations, none when all is well
//	web.TooFast("shop", time.Second)   // likewise
//
// [Shop] fills a site with a small shop. [FullShop] makes a richer one, with a
// sitemap index and more traps, and tells what it made.
//
// Promises: all methods are safe for concurrent use, content may change while a
// crawl runs, and the same seed gives the same shop, but for the port number in
// absolute URLs.
//
// Caveats: the times in the log are the server's. A response ends for the log
// when its handler returns, just before its last bytes leave; so a gap in the log
// is never shorter than the gap the client kept. Servers listen on real
// sockets and so cannot live in a testing/synctest bubble.
package testsite
