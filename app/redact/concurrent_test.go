package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/computclaw/airlock/app/known"
	"github.com/computclaw/airlock/app/secrets"
)

// TestConcurrentUse: one Redactor serves the output while it comes, questions and pages at the same
// time. What it works out when it is first needed must not depend on who needs it.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	forms := []string{base64.StdEncoding.EncodeToString([]byte(long)), hex.EncodeToString([]byte(long)),
		strings.Join(strings.Split(long, ""), "-"), known.Reverse(long), long, "s3cr3t-value", "aabaab" + long}
	text := strings.Join(forms, "\n") + "\n"
	use := func(r *Redactor) string {
		whole, _ := r.Text(text)
		cut, _ := r.Cut(text + long[:9])
		data, _ := json.Marshal(forms)
		result, _, err := resultOf(r, data)
		if err != nil {
			t.Error(err)
		}
		var live strings.Builder
		s := r.Stream(func(c Clean) { live.WriteString(c.String()) })
		for rest := text; rest != ""; {
			n := min(len(rest), 5)
			_, _ = s.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		_ = s.Close()
		return whole.String() + cut.String() + result.String() + live.String()
	}
	values := []secrets.Resolved{{Key: "A", Secret: secretOf(long)},
		{Key: "B", Secret: secretOf(other), Placeholder: "airlock_sealed_0a1b2c3d4e5f"}}
	want := use(New(values))
	if strings.Contains(want, long) {
		t.Fatal(want)
	}
	for range 5 {
		r := New(values)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if got := use(r); got != want {
					t.Errorf("together %q, alone %q", got, want)
				}
			})
		}
		all.Wait()
	}
}
