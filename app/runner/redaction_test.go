package runner_test

import (
	"runtime"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/app/secrets"
)

// The live view reads the values to mask again once the script tries the network.
func TestLiveViewLooksOnceTheNetworkWasTried(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	host, err := app.ParseHost("api.example.com:443")
	w.Must(err)
	hosts := []app.Host{host}
	const theirs = "injected-value-0123456789"
	_, err = w.Access.Credentials.Set(t.Context(), enginetest.Person, credentials.Input{
		Name: "THEIRS", Mode: app.ModeInjected, Hosts: hosts, Value: app.NewSecret(theirs),
	})
	w.Must(err)
	live, reach := w.Runner.LiveRedactor(hosts)
	if text, _ := live(theirs); text.String() != theirs {
		t.Errorf("before: %s", text)
	}
	reach()
	if text, _ := live(theirs); text.String() != "[REDACTED]" {
		t.Errorf("after: %s", text)
	}
}

// Executions with the same values share a redactor until the last of them ends.
func TestRedactorsAreShared(t *testing.T) {
	t.Parallel()
	const value, another = "first-value-0123456789", "another-value-0123456789"
	r := runner.New(runner.Config{})
	defer r.Stop()
	list := func(name, value string, held secrets.Held) []secrets.Resolved {
		return []secrets.Resolved{{Key: name, Secret: app.NewSecret(value), Held: held}}
	}
	first := r.Redactor(list("KEY", value, secrets.ByScript))
	if r.Redactor(list("KEY", value, secrets.ByScript)) != first {
		t.Error("the same values made two redactors")
	}
	for what, other := range map[string][]secrets.Resolved{
		"another name":        list("OTHER", value, secrets.ByScript),
		"another value":       list("KEY", another, secrets.ByScript),
		"one that isn't held": list("KEY", value, secrets.ByAnother),
		"none":                nil,
	} {
		if r.Redactor(other) == first {
			t.Errorf("%s has the same redactor", what)
		}
	}
	runtime.KeepAlive(first)
	runtime.GC()
	last := r.Redactor(list("LAST", another, secrets.ByScript))
	if n := r.CountRedactors(); n != 1 {
		t.Errorf("%d redactors are remembered that nobody uses", n-1)
	}
	runtime.KeepAlive(last)
}
