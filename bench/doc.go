// Package bench runs decorum's robots and sitemap packages side by side with
// others on the same inputs. It is a module of its own, so that nobody who
// imports decorum gets its peers. Run it with "make bench".
package bench
