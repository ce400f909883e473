package runner

import (
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
)

func TestSealedIsNotHandedOver(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t-value-0123456789"
	g := grant{settings: map[string]string{}}
	v := secrets.Resolved{
		Key: "API_KEY", Mode: app.ModeSealed, Secret: app.NewSecret(secret), Placeholder: "airlock_sealed_x",
		Scope: secrets.Scope{Hosts: []app.Host{{Name: "a.example", Ports: []int{443}}}},
	}
	if err := g.add(v); err != nil {
		t.Fatal(err)
	}
	g.values = append(g.values, v)
	if g.settings["API_KEY"] != v.Placeholder || len(g.injected) != 0 || g.recorded[0].Mode != app.ModeSealed ||
		len(g.forEgress().Sealed) != 1 {
		t.Errorf("granted %+v", g)
	}
	unknown := secrets.Resolved{Key: "OTHER", Mode: "open", Secret: app.NewSecret(secret)}
	err := g.add(unknown)
	if err == nil || len(g.settings) != 1 {
		t.Error("a value of an unknown mode was handed over")
	}
}
