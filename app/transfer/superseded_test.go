package transfer

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/egress/swap"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/store"
)

// superseded counts the values of an instance that hosts may still show.
func (h *fixture) superseded() (n int) {
	h.T.Helper()
	h.No(h.Store.Read(h.T.Context(), func(tx *store.Tx) error {
		list, err := tx.Values.Belongings(h.T.Context())
		for _, b := range list {
			if b.Superseded != 0 {
				n++
			}
		}
		return err
	}))
	return n
}

// A value that an import replaces stays findable here, and what was superseded elsewhere doesn't
// travel.
func TestHoleH2ImportSupersedes(t *testing.T) {
	a, b, _ := twins(t)
	for _, value := range []string{"sk_live_second_0123456789", "sk_live_third_0123456789"} {
		must[app.Credential](t)(a.Desk.Credentials.Set(t.Context(), person(),
			credentials.Input{Name: "STRIPE_KEY", Description: "about STRIPE_KEY", Value: app.NewSecret(value)}))
	}
	if a.superseded() != 3 || b.superseded() != 0 { // the third is of DB_PASSWORD
		t.Fatalf("%d and %d values were superseded", a.superseded(), b.superseded())
	}
	b.take(a.export(all()), yesTo("credential:STRIPE_KEY"))
	if n := b.superseded(); n != 1 {
		t.Errorf("%d values were superseded by the import", n)
	}
	red := redact.New(must[[]redact.Value](t)(b.Desk.SearchSets.Others(t.Context(), hosts(t, "api.stripe.com"), nil)))
	for value, known := range map[string]int{"sk_live_0123456789abcdef": 1, "sk_live_second_0123456789": 0,
		"sk_live_third_0123456789": 1} {
		if _, hits := red.Text(value); hits.Total() != known {
			t.Errorf("%s is masked %d times", value, hits.Total())
		}
	}
}

// TestHoleF3SameIDAndVersion: a credential that was deleted and came back by an import has the id
// and version of before, and what is searched for is its new value, in answers and in output.
func TestHoleF3SameIDAndVersion(t *testing.T) {
	const theirs, ours = "second-value-of-instance-a-0123", "second-value-of-instance-b-0123"
	a, b := newFixture(t, "aaaa"), newFixture(t, "bbbb")
	a.Credential("TOKEN", "first-value-of-both-0123", "api.stripe.com")
	b.take(a.export(all()), Choice{})
	theirCredential, ourCredential := a.Credential("TOKEN", theirs, "api.stripe.com"),
		b.Credential("TOKEN", ours, "api.stripe.com")
	if theirCredential.ID != ourCredential.ID || theirCredential.Version != ourCredential.Version {
		t.Fatal("the two differ in more than their values; the test shows nothing")
	}
	b.No(b.Store.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Values.PruneSuperseded(t.Context(), time.Now().Add(time.Hour))
		return err
	}))
	b.wantSearched("before", ours)
	b.No(b.Desk.Credentials.Delete(t.Context(), person(), "TOKEN"))
	b.take(a.export(all()), Choice{})
	b.wantSearched("after the import", theirs)
}

// wantSearched checks that answers of api.stripe.com and the output of whoever reaches it are
// searched for a value.
func (h *fixture) wantSearched(when, value string) {
	h.T.Helper()
	known, err := h.Desk.SearchSets.Known(h.T.Context(), "api.stripe.com", 443)
	if err != nil || known == nil {
		h.T.Fatalf("%s: answers are not searched: %v", when, err)
	}
	resp := &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, ContentLength: -1,
		Body: io.NopCloser(strings.NewReader("log: " + value))}
	h.No(swap.New(nil).Incoming(swap.Target{Host: "api.stripe.com", Port: 443, TLS: true}, resp, known))
	if body := must[[]byte](h.T)(io.ReadAll(resp.Body)); string(body) != "log: "+swap.Withheld {
		h.T.Errorf("%s: an answer reads %s", when, body)
	}
	others, err := h.Desk.SearchSets.Others(h.T.Context(), hosts(h.T, "api.stripe.com"), nil)
	if err != nil || others == nil {
		h.T.Fatalf("%s: output is not searched: %v", when, err)
	}
	if clean, _ := redact.New(others).Text("log: " + value); clean.String() != "log: [REDACTED]" {
		h.T.Errorf("%s: output reads %s", when, clean)
	}
}
