package engine

import "github.com/computclaw/airlock/app/redact"

// redactor returns what takes these values, and what looks like a secret, out of whatever leaves a box.
func (e *Engine) redactor(values []redact.Value) *redact.Redactor {
	return redact.New(values, redact.Options{Patterns: e.cfg.Patterns, Ahead: e.cfg.Ahead})
}
