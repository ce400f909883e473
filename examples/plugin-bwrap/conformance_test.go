package main

import (
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
