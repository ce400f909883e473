package runner

import (
	"runtime"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
)

// Executions with the same values share a redactor until the last of them ends.
func TestRedactorsAreShared(t *testing.T) {
	t.Parallel()
	const value, another = "first-value-0123456789", "another-value-0123456789"
	var shared sharedRedactors
	list := func(name, value string, held secrets.Held) []secrets.Resolved {
		return []secrets.Resolved{{Key: name, Secret: app.NewSecret(value), Held: held}}
	}
	find := func(values []secrets.Resolved) *redact.Redactor { return shared.redactor(values, redact.Options{}) }
	first := find(list("KEY", value, secrets.ByScript))
	if find(list("KEY", value, secrets.ByScript)) != first {
		t.Error("the same values made two redactors")
	}
	for what, other := range map[string][]secrets.Resolved{
		"another name":        list("OTHER", value, secrets.ByScript),
		"another value":       list("KEY", another, secrets.ByScript),
		"one that isn't held": list("KEY", value, secrets.ByAnother),
		"none":                nil,
	} {
		if find(other) == first {
			t.Errorf("%s has the same redactor", what)
		}
	}
	runtime.KeepAlive(first)
	runtime.GC()
	last := find(list("LAST", another, secrets.ByScript))
	if n := len(shared.inUse); n != 1 {
		t.Errorf("%d redactors are remembered that nobody uses", n-1)
	}
	runtime.KeepAlive(last)
}
