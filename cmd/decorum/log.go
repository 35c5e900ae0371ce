package main

import (
	"io"
	"log/slog"

	"github.com/decorum-crawler/decorum/internal/escape"
)

// newLogger returns a logger that writes to the log of a crawl and, at the level
// that the flags select, to standard error.
func newLogger(stderr, file io.Writer, format string, verbose int, quiet bool) *slog.Logger {
	level, fileLevel := slog.LevelWarn, slog.LevelInfo
	switch {
	case quiet:
		level = slog.LevelError
	case verbose == 1:
		level = slog.LevelInfo
	case verbose > 1:
		level, fileLevel = slog.LevelDebug, slog.LevelDebug
	}
	var screen slog.Handler = slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level})
	if format == "json" {
		screen = slog.NewJSONHandler(escape.JSONWriter(stderr), &slog.HandlerOptions{Level: level})
	}
	return slog.New(slog.NewMultiHandler(screen, slog.NewJSONHandler(escape.JSONWriter(file), &slog.HandlerOptions{Level: fileLevel})))
}
