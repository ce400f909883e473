package runner

import (
	"runtime"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

// Executions with the same values share a redactor until the last of them ends.
func TestRedactorsAreShared(t *testing.T) {
	t.Parallel()
	const value, another = "first-value-0123456789", "another-value-0123456789"
	var shared sharedRedactors
	list := func(name, value string, unheld bool) []redact.Value {
		return []redact.Value{{Name: name, Secret: app.NewSecret(value), Unheld: unheld}}
	}
	find := func(values []redact.Value) *redact.Redactor { return shared.redactor(values, redact.Options{}) }
	first := find(list("KEY", value, false))
	if find(list("KEY", value, false)) != first {
		t.Error("the same values made two redactors")
	}
	for what, other := range map[string][]redact.Value{
		"another name":        list("OTHER", value, false),
		"another value":       list("KEY", another, false),
		"one that isn't held": list("KEY", value, true),
		"none":                nil,
	} {
		if find(other) == first {
			t.Errorf("%s has the same redactor", what)
		}
	}
	runtime.KeepAlive(first)
	runtime.GC()
	last := find(list("LAST", another, false))
	if n := len(shared.inUse); n != 1 {
		t.Errorf("%d redactors are remembered that nobody uses", n-1)
	}
	runtime.KeepAlive(last)
}
