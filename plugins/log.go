package plugins

import (
	"context"
	"io"
	"log"
	"log/slog"

	"github.com/hashicorp/go-hclog"
)

// logger passes go-plugin's log to slog, one level lower: its info is our debug.
type logger struct {
	to      *slog.Logger
	name    string
	implied []any
}

func newLogger(to *slog.Logger, name string) hclog.Logger { return &logger{to: to, name: name} }

func (l *logger) Log(level hclog.Level, msg string, args ...any) {
	fields := append([]any{"plugin", l.name}, args...)
	for i := 2; i < len(fields); i += 2 {
		if fields[i] == "plugin" { // go-plugin's word for the file: a line has each key once
			fields[i] = "path"
		}
	}
	//nolint:sloglint // the message is go-plugin's or the plugin's own
	l.to.Log(context.Background(), slogLevel(level), msg, fields...)
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

func (l *logger) Trace(msg string, args ...any) {} // frames and handshakes
func (l *logger) Debug(msg string, args ...any) { l.Log(hclog.Debug, msg, args...) }
func (l *logger) Info(msg string, args ...any)  { l.Log(hclog.Info, msg, args...) }
func (l *logger) Warn(msg string, args ...any)  { l.Log(hclog.Warn, msg, args...) }
func (l *logger) Error(msg string, args ...any) { l.Log(hclog.Error, msg, args...) }

func (l *logger) enabled(level hclog.Level) bool {
	return l.to.Enabled(context.Background(), slogLevel(level))
}

func (l *logger) IsTrace() bool { return false }
func (l *logger) IsDebug() bool { return l.enabled(hclog.Debug) }
func (l *logger) IsInfo() bool  { return l.enabled(hclog.Info) }
func (l *logger) IsWarn() bool  { return l.enabled(hclog.Warn) }
func (l *logger) IsError() bool { return l.enabled(hclog.Error) }

func (l *logger) ImpliedArgs() []any { return l.implied }

func (l *logger) With(args ...any) hclog.Logger {
	return &logger{to: l.to.With(args...), name: l.name, implied: append(append([]any{}, l.implied...), args...)}
}

func (l *logger) Name() string { return l.name }

// Named ignores the suffixes that go-plugin adds: the plugin's name says enough.
func (l *logger) Named(string) hclog.Logger      { return l }
func (l *logger) ResetNamed(string) hclog.Logger { return l }

func (l *logger) SetLevel(hclog.Level) {}

func (l *logger) GetLevel() hclog.Level {
	if l.IsDebug() {
		return hclog.Debug
	}
	return hclog.Warn
}

func (l *logger) StandardLogger(*hclog.StandardLoggerOptions) *log.Logger {
	return log.New(l.StandardWriter(nil), "", 0)
}

func (l *logger) StandardWriter(*hclog.StandardLoggerOptions) io.Writer { return lineWriter{l} }

type lineWriter struct{ to *logger }

func (w lineWriter) Write(p []byte) (int, error) {
	w.to.Info(string(p))
	return len(p), nil
}
