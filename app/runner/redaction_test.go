package runner_test

import (
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/engine/enginetest"
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
