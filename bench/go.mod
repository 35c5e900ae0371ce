module github.com/decorum-crawler/decorum/bench

go 1.26.0

require (
	github.com/benjaminestes/robots/v2 v2.0.5
	github.com/decorum-crawler/decorum v0.0.0
	github.com/jimsmart/grobotstxt v1.0.3
	github.com/nlnwa/gowarc/v3 v3.1.0
	github.com/oxffaa/gopher-parse-sitemap v0.0.0-20191021113419-005d2eb1def4
	github.com/temoto/robotstxt v1.1.2
	github.com/yterajima/go-sitemap v0.4.0
)

require (
	github.com/bits-and-blooms/bitset v1.24.4 // indirect
	github.com/dunglas/httpsfv v1.1.2 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/klauspost/compress v1.20.4 // indirect
	github.com/nlnwa/whatwg-url v0.6.2 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/text v0.44.0 // indirect
)

replace github.com/decorum-crawler/decorum => ../
