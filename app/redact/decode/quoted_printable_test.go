package decode

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app/redact/derived"
)

// TestNumbersAreNoQuotedPrintable: what is assigned in a log makes no view of it.
func TestNumbersAreNoQuotedPrintable(t *testing.T) {
	t.Parallel()
	log := strings.Repeat("level=DEBUG status=200 took=35 state=ACTIVE n=12 to=FF\n", 40)
	for _, read := range []escapeReader{QuotedPrintable, LooseQuotedPrintable} {
		if b := Escapes([]byte(log), derived.Context{Bytes: 1 << 10}, '=', read); b != nil {
			t.Errorf("%.200s", b.Text)
		}
	}
}
