package leases

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets/vault"
	"github.com/computclaw/airlock/store/storetest"
)

// TestLeasesAfterCloseAreLeftToTheNextStart: leases taken during Close are not revoked outside its
// wait.
func TestLeasesAfterCloseAreLeftToTheNextStart(t *testing.T) {
	client, err := vault.New(vault.Config{Address: "http://127.0.0.1:1", Token: app.NewSecret("token-0123456789"),
		Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	k := New(Config{Store: storetest.Open(t), Vault: client, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err := k.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Take(t.Context(), []vault.Lease{{ID: "taken", Seconds: 60}}); !errors.Is(err, ErrClosed) {
		t.Errorf("take: %v", err)
	}
	if err := k.Close(t.Context()); err != nil { // waits for what was given back
		t.Fatal(err)
	}
	if n, why := k.CountFailed(); n != 0 {
		t.Errorf("%d were tried to be given back: %v", n, why)
	}
	if n, err := k.Open(t.Context()); n != 1 || err != nil {
		t.Errorf("%d are left to the next start, want 1: %v", n, err)
	}
	if strings.Contains(log.String(), "written down") {
		t.Errorf("the log says %s", log.String())
	}
}
