package transfer

import (
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/store"
)

// superseded counts the values of a house that hosts may still show.
func (h *house) superseded() (n int) {
	h.t.Helper()
	h.no(h.store.Read(h.t.Context(), func(tx *store.Tx) error {
		list, err := tx.Values.Belongings(h.t.Context())
		for _, b := range list {
			if b.Superseded != 0 {
				n++
			}
		}
		return err
	}))
	return n
}

// A value that an import replaces stays findable here, and what was superseded elsewhere doesn't travel.
func TestHoleH2ImportSupersedes(t *testing.T) {
	a, b, _ := twins(t)
	for _, value := range []string{"sk_live_second_0123456789", "sk_live_third_0123456789"} {
		must[app.Credential](t)(a.desk.SetCredential(t.Context(), person(), access.CredentialInput{Name: "STRIPE_KEY", Description: "about STRIPE_KEY", Value: app.NewSecret(value)}))
	}
	if a.superseded() != 2 || b.superseded() != 0 {
		t.Fatalf("%d and %d values were superseded", a.superseded(), b.superseded())
	}
	b.take(a.export(all()), Choice{Overwrite: true})
	if n := b.superseded(); n != 1 {
		t.Errorf("%d values were superseded by the import", n)
	}
	red := redact.New(must[[]redact.Value](t)(b.desk.SearchSets().Others(t.Context(), hosts(t, "api.stripe.com"), nil)))
	for value, known := range map[string]int{"sk_live_0123456789abcdef": 1, "sk_live_second_0123456789": 0, "sk_live_third_0123456789": 1} {
		if _, hits := red.Text(value); hits.Total() != known {
			t.Errorf("%s is masked %d times", value, hits.Total())
		}
	}
}
