module github.com/decorum-crawler/decorum/bench

go 1.26.0

require (
	github.com/decorum-crawler/decorum v0.0.0
	github.com/temoto/robotstxt v1.1.2
)

require (
	github.com/dunglas/httpsfv v1.1.2 // indirect
	golang.org/x/text v0.44.0 // indirect
)

replace github.com/decorum-crawler/decorum => ../
