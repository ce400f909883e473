package enginetest

import (
	"strings"
	"sync/atomic"

	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/redact"
)

// CountRedactions counts how often the redactor looks for secrets in texts with the word.
func CountRedactions(word string) (change func(*engine.Config), count *atomic.Int64) {
	count = &atomic.Int64{}
	return func(c *engine.Config) {
		c.Patterns = func(text string) []redact.Match {
			if strings.Contains(text, word) {
				count.Add(1)
			}
			return nil
		}
	}, count
}
