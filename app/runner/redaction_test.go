package runner_test

import (
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/engine/enginetest"
)

// The live view asks for other values to mask as soon as the script has tried the network, whatever it found before.
func TestLiveViewLooksOnceTheNetworkWasTried(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	host, err := app.ParseHost("api.example.com:443")
	w.Must(err)
	hosts := []app.Host{host}
	_, err = w.Access.SetCredential(t.Context(), enginetest.Person, access.CredentialInput{
		Name: "THEIRS", Mode: app.ModeInjected, Hosts: hosts, Value: app.NewSecret("injected-value-0123456789"),
	})
	w.Must(err)
	second, reach := w.Runner.LiveSecond(hosts)
	if red, err := second(); red != nil || err != nil {
		t.Errorf("before: %v %v", red, err)
	}
	reach()
	if red, err := second(); red == nil || err != nil {
		t.Errorf("after: %v %v", red, err)
	}
}
