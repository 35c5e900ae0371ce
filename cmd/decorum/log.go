package main

import (
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/decorum-crawler/decorum/internal/escape"
	"github.com/decorum-crawler/decorum/internal/secret"
)

// newLogger returns a logger that writes to the log of a crawl and, at the level
// that the flags select, to standard error. What libraries log comes to it as well.
func newLogger(env environment, file io.Writer, format string, verbose int, quiet bool) *slog.Logger {
	level, fileLevel := slog.LevelWarn, slog.LevelInfo
	switch {
	case quiet:
		level = slog.LevelError
	case verbose == 1:
		level = slog.LevelInfo
	case verbose > 1:
		level, fileLevel = slog.LevelDebug, slog.LevelDebug
	}
	onScreen := &slog.HandlerOptions{Level: level, ReplaceAttr: withoutSecrets}
	var screen slog.Handler = slog.NewTextHandler(env.stderr, onScreen)
	if format == "json" {
		screen = slog.NewJSONHandler(escape.JSONWriter(env.stderr), onScreen)
	}
	inFile := slog.NewJSONHandler(escape.JSONWriter(file), &slog.HandlerOptions{Level: fileLevel, ReplaceAttr: withoutSecrets})
	logger := slog.New(slog.NewMultiHandler(screen, inFile))
	if env.libraryLog != nil {
		env.libraryLog(libraryLog{logger})
	}
	return logger
}

// withoutSecrets removes secrets from the URLs in an attribute.
func withoutSecrets(_ []string, a slog.Attr) slog.Attr {
	switch a.Value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(secret.Text(a.Value.String()))
	case slog.KindAny:
		if err, ok := a.Value.Any().(error); ok {
			a.Value = slog.StringValue(secret.Text(fmt.Sprint(err)))
		}
	default: // numbers and times
	}
	return a
}

// libraryLog takes what net/http and other libraries write to the log of the
// standard library.
type libraryLog struct{ logger *slog.Logger }

func (l libraryLog) Write(line []byte) (int, error) {
	l.logger.Debug("library reports", "err", strings.TrimSpace(string(line)))
	return len(line), nil
}
