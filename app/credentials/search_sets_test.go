package credentials_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/access/accesstest"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/egress/swap"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/store/storetest"
)

// searched returns which values a host's answer is searched for, or nil.
func (d *desk) searched(place string, values ...string) []string {
	d.T.Helper()
	h := accesstest.Host(d.T, place)
	known, err := d.SearchSets.ValuesFor(d.T.Context(), h.Name, h.Ports[0])
	if err != nil {
		d.T.Fatal(err)
	}
	if known == nil {
		return nil
	}
	found := []string{}
	for _, v := range values {
		resp := &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, ContentLength: -1,
			Body: io.NopCloser(strings.NewReader("log: " + v + "."))}
		if err := swap.New(nil).MaskResponse(swap.Target{Host: h.Name, Port: h.Ports[0], TLS: true}, resp,
			known); err != nil {
			d.T.Fatal(err)
		}
		if body, _ := io.ReadAll(resp.Body); string(body) == "log: "+swap.Withheld+"." {
			found = append(found, v)
		}
	}
	return found
}

// masked returns which values are masked in output of an execution without them.
func (d *desk) masked(places []string, values ...string) []string {
	d.T.Helper()
	red := redact.New(accesstest.Must[[]secrets.Resolved](d.T)(
		d.SearchSets.Others(d.T.Context(), accesstest.Hosts(d.T, places...), nil)))
	var found []string
	for _, v := range values {
		if clean, _ := red.Text("log: " + v + "."); clean.String() == "log: [REDACTED]." {
			found = append(found, v)
		}
	}
	return found
}

func (d *desk) wantSearched(when, place string, want []string, values ...string) {
	d.T.Helper()
	if got := d.searched(place, values...); !slices.Equal(got, want) || (got == nil) != (want == nil) {
		d.T.Errorf("%s: answers of %s are searched for %v, want %v", when, place, got, want)
	}
}

func (d *desk) set(in credentials.Input) app.Credential {
	d.T.Helper()
	return accesstest.Must[app.Credential](d.T)(d.Credentials.Set(d.T.Context(), person, in))
}

// Values of the tests.
const (
	firstValue  = "first-value-7f3x9kw2m4p"
	secondValue = "second-value-8g4y0kx3n5q"
	thirdValue  = "third-value-9h5z1my4p6r"
	otherValue  = "other-value-1a2b3c4d5e6f"
)

// A host's set holds all present and replaced values of its credentials.
func TestHoleH2SetOfAHost(t *testing.T) {
	d := newDesk(t)
	all := []string{firstValue, secondValue, otherValue}
	d.wantSearched("at first", "api.test:443", nil)
	d.set(credentials.Input{Name: "A", Hosts: accesstest.Hosts(t, "api.test", "old.test"),
		Value: app.NewSecret(firstValue)})
	d.wantSearched("with a credential", "api.test:443", []string{firstValue}, all...)
	d.wantSearched("with a credential", "elsewhere.test:443", nil)
	d.set(credentials.Input{Name: "A", Value: app.NewSecret(secondValue)})
	d.wantSearched("after a rotation", "api.test:443", []string{firstValue, secondValue}, all...)
	d.set(credentials.Input{Name: "A", Hosts: accesstest.Hosts(t, "api.test", "new.test")})
	d.wantSearched("at a host that was taken away", "old.test:443", []string{firstValue, secondValue}, all...)
	d.wantSearched("at a host that came later", "new.test:443", []string{firstValue, secondValue}, all...)
	d.set(credentials.Input{Name: "B", Mode: app.ModeInjected,
		Hosts: accesstest.Hosts(t, "api.test", "*.elsewhere.test"),
		Value: app.NewSecret(otherValue)})
	d.wantSearched("with another credential, which is injected", "api.test:443", all, all...)
	d.wantSearched("with injected ones only", "any.elsewhere.test:443", nil)
	if got := d.masked([]string{"any.elsewhere.test"}, all...); !slices.Equal(got, []string{otherValue}) {
		t.Errorf("output is searched for %v", got)
	}
	if got := d.masked([]string{"unrelated.example"}, all...); got != nil {
		t.Errorf("output of who reaches no host of theirs is searched for %v", got)
	}
	if err := d.Credentials.Delete(t.Context(), person, "A"); err != nil {
		t.Fatal(err)
	}
	d.wantSearched("after the deletion", "api.test:443", nil)
	if n := d.rows("superseded_values"); n != 0 {
		t.Errorf("%d superseded values outlive their credential", n)
	}
}

func (d *desk) rows(table string) (n int) {
	d.T.Helper()
	if err := d.Raw().QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
		d.T.Fatal(err)
	}
	return n
}

// Plain or guessable values are not searched for outside their profiles; values from before they
// became plain are.
func TestHoleH2NoOracle(t *testing.T) {
	d := newDesk(t)
	const short = "15-bytes-abc012"
	d.set(credentials.Input{Name: "SEALED", Hosts: accesstest.Hosts(t, "api.test"), Value: app.NewSecret(otherValue)})
	d.set(credentials.Input{Name: "SHORT", Mode: app.ModeInjected, Hosts: accesstest.Hosts(t, "api.test"),
		Value: app.NewSecret(short)})
	d.set(credentials.Input{Name: "PLAIN", Hosts: accesstest.Hosts(t, "api.test"), Value: app.NewSecret(firstValue)})
	d.set(credentials.Input{Name: "PLAIN", Mode: app.ModePlain, Value: app.NewSecret(secondValue)})
	d.wantSearched("in the end", "api.test:443", []string{otherValue, firstValue}, short, otherValue, firstValue,
		secondValue)
	red := redact.New(accesstest.Must[[]secrets.Resolved](t)(
		d.SearchSets.Others(t.Context(), accesstest.Hosts(t, "api.test"), nil)))
	for guess := 1; guess < credentials.MinSearched; guess++ {
		if clean, hits := red.Text("x" + otherValue[:guess] + "x"); hits.Total() != 0 {
			t.Errorf("the first %d characters show by their mask: %s", guess, clean)
		}
	}
}

// An execution with no foreign values costs no second look, and unrelated changes keep the sets.
func TestSearchSetsAreKept(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	d.set(credentials.Input{Name: "A", Hosts: accesstest.Hosts(t, "api.test"), Value: app.NewSecret(firstValue)})
	own := []secrets.Resolved{{Secret: app.NewSecret(firstValue)}}
	if others, err := d.SearchSets.Others(ctx, accesstest.Hosts(t, "api.test"), own); others != nil || err != nil {
		t.Errorf("its own value: %v %v", others, err)
	}
	before := accesstest.Must[*swap.Values](t)(d.SearchSets.ValuesFor(ctx, "api.test", 443))
	d.set(credentials.Input{Name: "B", Hosts: accesstest.Hosts(t, "elsewhere.test"), Value: app.NewSecret(secondValue)})
	if after := accesstest.Must[*swap.Values](t)(d.SearchSets.ValuesFor(ctx, "api.test", 443)); after != before {
		t.Error("a change elsewhere made another set")
	}
	d.set(credentials.Input{Name: "A", Description: new("only words"), Hosts: accesstest.Hosts(t, "api.test")})
	if after := accesstest.Must[*swap.Values](t)(d.SearchSets.ValuesFor(ctx, "api.test", 443)); after != before {
		t.Error("other words made another set")
	}
}

// Changes by another process count with the next answer, and survive a restart.
func TestHoleH2AnotherProcess(t *testing.T) {
	d := newDesk(t)
	d.set(credentials.Input{Name: "A", Hosts: accesstest.Hosts(t, "api.test"), Value: app.NewSecret(firstValue)})
	d.wantSearched("at first", "api.test:443", []string{firstValue}, firstValue)
	st := storetest.OpenIn(t, d.Dir, nil)
	cfg := d.Config
	cfg.Store = st
	other := &desk{&accesstest.Desk{Parts: access.New(cfg), T: t}}
	other.set(credentials.Input{Name: "A", Value: app.NewSecret(secondValue)})
	for _, one := range []*desk{d, other} {
		one.wantSearched("after a rotation elsewhere", "api.test:443", []string{firstValue, secondValue}, firstValue,
			secondValue)
	}
}

// Superseded values are sealed, bounded, never given to scripts, and finally removed.
func TestHoleH2SupersededValuesAtRest(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	for n := range 110 {
		d.set(credentials.Input{Name: "A", Hosts: accesstest.Hosts(t, "api.test"),
			Value: app.NewSecret(fmt.Sprintf("%s-%03d", firstValue, n))})
	}
	if n := d.rows("superseded_values"); n != 100 {
		t.Errorf("%d superseded values of one credential", n)
	}
	files, _ := filepath.Glob(filepath.Join(d.Dir, "*"))
	for _, f := range files {
		if text := accesstest.Must[[]byte](t)(os.ReadFile(f)); bytes.Contains(text, []byte(firstValue)) {
			t.Errorf("%s holds a value", f)
		}
	}
	p := d.Unlocked("A")
	accesstest.Must[app.Profile](t)(d.Keys.Link(ctx, person, p.Handle, "A", "A"))
	p = accesstest.Must[app.Profile](t)(d.Lifecycle.Lock(ctx, person, p.Handle, time.Time{}))
	if got := d.Values(p)["A"]; got != firstValue+"-109" {
		t.Errorf("a script gets %s", got)
	}
	if err := d.Store.Write(ctx, func(tx *store.Tx) error {
		_, err := tx.Values.PruneSuperseded(ctx, d.Now().Add(time.Second))
		return err
	}); err != nil || d.rows("superseded_values") != 0 {
		t.Errorf("%v", err)
	}
}

// TestHoleH2HostEditsEvictNoValue: the bound counts values, not changes of hosts.
func TestHoleH2HostEditsEvictNoValue(t *testing.T) {
	d := newDesk(t)
	d.set(credentials.Input{Name: "A", Hosts: accesstest.Hosts(t, "api.test"), Value: app.NewSecret(firstValue)})
	d.set(credentials.Input{Name: "A", Value: app.NewSecret(secondValue)})
	for n := range 200 {
		d.set(credentials.Input{Name: "A", Hosts: accesstest.Hosts(t, fmt.Sprintf("api-%d.test", n))})
	}
	d.wantSearched("where the first value belonged", "api.test:443", []string{firstValue, secondValue}, firstValue,
		secondValue)
	for _, place := range []string{"api-0.test:443", "api-100.test:443"} {
		d.wantSearched("where the second one did", place, []string{secondValue}, firstValue, secondValue)
	}
	d.wantSearched("where the credential belongs now", "api-199.test:443", []string{firstValue, secondValue},
		firstValue,
		secondValue)
	if n := d.rows("superseded_values"); n != 2 {
		t.Errorf("%d rows for two values", n)
	}
}

// A damaged value blocks no host; one sealed with an unknown key lets nothing pass.
func TestSearchSetsOfDamagedValues(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	d.set(credentials.Input{Name: "A", Hosts: accesstest.Hosts(t, "api.test"), Value: app.NewSecret(firstValue)})
	d.set(credentials.Input{Name: "B", Hosts: accesstest.Hosts(t, "api.test"), Value: app.NewSecret(secondValue)})
	if _, err := d.Raw().Exec("UPDATE credential_versions SET value = substr(value, 1, length(value) - 1) WHERE " +
		"credential_id = (SELECT id FROM credentials WHERE name = 'A')"); err != nil {
		t.Fatal(err)
	}
	d.wantSearched("with a damaged one", "api.test:443", []string{secondValue}, firstValue, secondValue)
	stranger := accesstest.Must[*secrets.Keyring](t)(
		secrets.NewKeyring(app.NewSecret("another instance key of 32 characters")))
	cfg := d.Config
	cfg.Keyring = stranger
	if known, err := access.New(cfg).SearchSets.ValuesFor(ctx, "api.test", 443); err == nil {
		t.Errorf("with values of an unknown key: %v", known)
	}
}

// TestSlowSetKeepsNobodyWaiting: a slow set delays no other host, and is made once for all.
func TestSlowSetKeepsNobodyWaiting(t *testing.T) {
	d := newDesk(t)
	d.set(credentials.Input{Name: "A", Hosts: accesstest.Hosts(t, "api.test"), Value: app.NewSecret(firstValue)})
	began, finish := make(chan struct{}), make(chan struct{})
	var made atomic.Int64
	slow := func(h app.Host) bool {
		if made.Add(1) == 1 {
			close(began)
		}
		<-finish
		return h.Name == "api.test"
	}
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			// A late caller asks after the rotation below, and gets both values.
			if n, err := d.SearchSets.Find(t.Context(), "slow", slow); err != nil || n < 1 || n > 2 {
				t.Errorf("%d values, %v", n, err)
			}
		})
	}
	<-began
	d.wantSearched("meanwhile", "api.test:443", []string{firstValue}, firstValue)
	d.set(credentials.Input{Name: "A", Value: app.NewSecret(secondValue)})
	d.wantSearched("after a rotation meanwhile", "api.test:443", []string{firstValue, secondValue}, firstValue,
		secondValue)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.SearchSets.Find(gone, "slow", slow); !errors.Is(err, context.Canceled) {
		t.Errorf("who has gone waits on: %v", err)
	}
	if n := made.Load(); n != 1 {
		t.Errorf("it is made %d times at once", n)
	}
	close(finish)
	all.Wait()
}

// TestSetsAskedForAtOnce: callers after a rotation get the new value, despite concurrency.
func TestSetsAskedForAtOnce(t *testing.T) {
	d := newDesk(t)
	d.set(credentials.Input{Name: "A", Hosts: accesstest.Hosts(t, "api.test"), Value: app.NewSecret(firstValue + "-0")})
	var rotations atomic.Int64
	var all sync.WaitGroup
	done := make(chan struct{})
	for range 8 {
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				value := fmt.Sprintf("%s-%d", firstValue, rotations.Load())
				if len(d.searched("api.test:443", value)) != 1 {
					t.Errorf("%s is not searched for", value)
				}
			}
		})
	}
	for n := range 20 {
		d.set(credentials.Input{Name: "A", Value: app.NewSecret(fmt.Sprintf("%s-%d", firstValue, n+1))})
		rotations.Add(1)
	}
	close(done)
	all.Wait()
}

// lockedWith locks a profile with a key linked to its credential.
func (d *desk) lockedWith(name string) app.Profile {
	d.T.Helper()
	p := d.Unlocked(name)
	accesstest.Must[app.Profile](d.T)(d.Keys.Link(d.T.Context(), person, p.Handle, name, name))
	return accesstest.Must[app.Profile](d.T)(d.Lifecycle.Lock(d.T.Context(), person, p.Handle, time.Time{}))
}

// TestHoleF2SupersededValueAtALaterHost: replaced values are searched for at the credential's
// present hosts.
func TestHoleF2SupersededValueAtALaterHost(t *testing.T) {
	d := newDesk(t)
	d.set(credentials.Input{Name: "A", Hosts: accesstest.Hosts(t, "api.test"), Value: app.NewSecret(firstValue)})
	d.set(credentials.Input{Name: "A", Value: app.NewSecret(secondValue)})
	d.set(credentials.Input{Name: "A", Hosts: accesstest.Hosts(t, "api.test", "other.test")})
	d.wantSearched("one more host", "other.test:443", []string{firstValue, secondValue}, firstValue, secondValue)
	d.set(credentials.Input{Name: "B", Mode: app.ModeInjected, Value: app.NewSecret(otherValue)})
	d.set(credentials.Input{Name: "B", Mode: app.ModeSealed, Hosts: accesstest.Hosts(t, "new.test"),
		Value: app.NewSecret(thirdValue)})
	d.wantSearched("the first hosts", "new.test:443", []string{otherValue, thirdValue}, otherValue, thirdValue)
	if got := d.masked([]string{"new.test"}, otherValue, thirdValue); len(got) != 2 {
		t.Errorf("output is searched for %v", got)
	}
}
