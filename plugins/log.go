package plugins

import (
	"context"
	"io"
	"log/slog"

	"github.com/hashicorp/go-hclog"
)

// logSink passes go-plugin's log to slog, one level lower: its info is our debug.
type logSink struct {
	to     *slog.Logger
	plugin string
}

func newLogger(to *slog.Logger, plugin string) hclog.Logger {
	l := hclog.NewInterceptLogger(&hclog.LoggerOptions{Level: hclog.Debug, Output: io.Discard})
	l.RegisterSink(logSink{to, plugin})
	return l
}

// Accept implements hclog.SinkAdapter. The logger's name repeats the plugin's.
func (s logSink) Accept(_ string, level hclog.Level, msg string, args ...any) {
	if level == hclog.Trace { // frames and handshakes
		return
	}
	fields := append([]any{"plugin", s.plugin}, args...)
	for i := 2; i < len(fields); i += 2 {
		if fields[i] == "plugin" { // go-plugin's word for the file: a line has each key once
			fields[i] = "path"
		}
	}
	//nolint:sloglint // the message is go-plugin's or the plugin's own
	s.to.Log(context.Background(), slogLevel(level), msg, fields...)
}

func slogLevel(level hclog.Level) slog.Level {
	switch {
	case level >= hclog.Error:
		return slog.LevelError
	case level == hclog.Warn:
		return slog.LevelWarn
	default:
		return slog.LevelDebug
	}
}
