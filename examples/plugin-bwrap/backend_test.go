package main

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/sandboxtest"
)

func TestMain(m *testing.M) {
	sandboxtest.Main(m, name, func(guest []byte) plugins.Sandbox { return newBackend(guest) })
}

func TestEssentials(t *testing.T) {
	sandboxtest.Run(t, sandboxtest.Plugin(name, nil), sandboxtest.Options{Name: name, Essential: true})
}

// TestCheckSaysWhyNoBoxOpens: the program has too few descriptors to load its libraries.
func TestCheckSaysWhyNoBoxOpens(t *testing.T) {
	r, err := newBackend(nil).Check(t.Context(), plugins.Config{Limits: plugins.Limits{Files: 3}})
	if err != nil || r.Ready || !strings.Contains(r.Reason, "boxes cannot be opened: exit code 127: /usr/bin/bwrap: ") {
		t.Errorf("%v, %q", err, r.Reason)
	}
}
