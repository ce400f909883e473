package access

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
	"github.com/computclaw/airlock/app/egress/swap"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// searched returns which of the values an answer of a host is searched for; nil if it is not searched.
func (d *desk) searched(place string, values ...string) []string {
	d.t.Helper()
	h := host(d.t, place)
	known, err := d.SearchSets().Known(d.t.Context(), h.Name, h.Ports[0])
	if err != nil {
		d.t.Fatal(err)
	}
	if known == nil {
		return nil
	}
	found := []string{}
	for _, v := range values {
		resp := &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, ContentLength: -1, Body: io.NopCloser(strings.NewReader("log: " + v + "."))}
		if err := swap.New(nil).Incoming(swap.Target{Host: h.Name, Port: h.Ports[0], TLS: true}, resp, known); err != nil {
			d.t.Fatal(err)
		}
		if body, _ := io.ReadAll(resp.Body); string(body) == "log: "+swap.Withheld+"." {
			found = append(found, v)
		}
	}
	return found
}

// masked returns which of the values are masked in output of an execution that may reach the hosts and has none of them itself.
func (d *desk) masked(places []string, values ...string) []string {
	d.t.Helper()
	red, err := d.SearchSets().Redactor(d.t.Context(), hosts(d.t, places...), nil)
	if err != nil {
		d.t.Fatal(err)
	}
	var found []string
	for _, v := range values {
		if red == nil {
			break
		}
		if clean, _ := red.Text("log: " + v + "."); clean.String() == "log: [REDACTED]." {
			found = append(found, v)
		}
	}
	return found
}

func (d *desk) wantSearched(when, place string, want []string, values ...string) {
	d.t.Helper()
	if got := d.searched(place, values...); !slices.Equal(got, want) || (got == nil) != (want == nil) {
		d.t.Errorf("%s: answers of %s are searched for %v, want %v", when, place, got, want)
	}
}

func (d *desk) set(in CredentialInput) app.Credential {
	d.t.Helper()
	return must[app.Credential](d.t)(d.SetCredential(d.t.Context(), person, in))
}

// Values of the tests.
const (
	firstValue  = "first-value-7f3x9kw2m4p"
	secondValue = "second-value-8g4y0kx3n5q"
	thirdValue  = "third-value-9h5z1my4p6r"
	otherValue  = "other-value-1a2b3c4d5e6f"
)

// The set belongs to the instance and the host: it holds what every credential had that belongs there, by whichever way it was replaced.
func TestHoleH2SetOfAHost(t *testing.T) {
	d := newDesk(t)
	all := []string{firstValue, secondValue, otherValue}
	d.wantSearched("at first", "api.test:443", nil)
	d.set(CredentialInput{Name: "A", Hosts: hosts(t, "api.test", "old.test"), Value: app.NewSecret(firstValue)})
	d.wantSearched("with a credential", "api.test:443", []string{firstValue}, all...)
	d.wantSearched("with a credential", "elsewhere.test:443", nil)
	d.set(CredentialInput{Name: "A", Value: app.NewSecret(secondValue)})
	d.wantSearched("after a rotation", "api.test:443", []string{firstValue, secondValue}, all...)
	d.set(CredentialInput{Name: "A", Hosts: hosts(t, "api.test", "new.test")})
	d.wantSearched("at a host that was taken away", "old.test:443", []string{firstValue, secondValue}, all...)
	d.wantSearched("at a host that came later", "new.test:443", []string{firstValue, secondValue}, all...)
	d.set(CredentialInput{Name: "B", Mode: app.ModeInjected, Hosts: hosts(t, "api.test", "*.elsewhere.test"), Value: app.NewSecret(otherValue)})
	d.wantSearched("with another credential, which is injected", "api.test:443", all, all...)
	d.wantSearched("with injected ones only", "any.elsewhere.test:443", nil)
	if got := d.masked([]string{"any.elsewhere.test"}, all...); !slices.Equal(got, []string{otherValue}) {
		t.Errorf("output is searched for %v", got)
	}
	if got := d.masked([]string{"unrelated.example"}, all...); got != nil {
		t.Errorf("output of who reaches no host of theirs is searched for %v", got)
	}
	if err := d.DeleteCredential(t.Context(), person, "A"); err != nil {
		t.Fatal(err)
	}
	d.wantSearched("after the deletion", "api.test:443", nil)
	if n := d.rows("superseded_values"); n != 0 {
		t.Errorf("%d superseded values outlive their credential", n)
	}
}

func (d *desk) rows(table string) (n int) {
	d.t.Helper()
	if err := d.raw().QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
		d.t.Fatal(err)
	}
	return n
}

// A value that is taken to be no secret, or could be guessed by what is masked, is not searched for outside of its profiles; what was secret before it became plain still is.
func TestHoleH2NoOracle(t *testing.T) {
	d := newDesk(t)
	const short = "15-bytes-abc012"
	d.set(CredentialInput{Name: "SEALED", Hosts: hosts(t, "api.test"), Value: app.NewSecret(otherValue)})
	d.set(CredentialInput{Name: "SHORT", Mode: app.ModeInjected, Hosts: hosts(t, "api.test"), Value: app.NewSecret(short)})
	d.set(CredentialInput{Name: "PLAIN", Hosts: hosts(t, "api.test"), Value: app.NewSecret(firstValue)})
	d.set(CredentialInput{Name: "PLAIN", Mode: app.ModePlain, Value: app.NewSecret(secondValue)})
	d.wantSearched("in the end", "api.test:443", []string{otherValue, firstValue}, short, otherValue, firstValue, secondValue)
	red, err := d.SearchSets().Redactor(t.Context(), hosts(t, "api.test"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for guess := 1; guess < minSearched; guess++ {
		if clean, hits := red.Text("x" + otherValue[:guess] + "x"); hits.Total() != 0 {
			t.Errorf("the first %d characters show by their mask: %s", guess, clean)
		}
	}
}

// An execution whose own values are all that there is costs no second look, and no set is made anew because something else changed.
func TestSearchSetsAreKept(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	d.set(CredentialInput{Name: "A", Hosts: hosts(t, "api.test"), Value: app.NewSecret(firstValue)})
	if red, err := d.SearchSets().Redactor(ctx, hosts(t, "api.test"), []app.Secret{app.NewSecret(firstValue)}); red != nil || err != nil {
		t.Errorf("its own value: %v %v", red, err)
	}
	before := must[*swap.Values](t)(d.SearchSets().Known(ctx, "api.test", 443))
	d.set(CredentialInput{Name: "B", Hosts: hosts(t, "elsewhere.test"), Value: app.NewSecret(secondValue)})
	if after := must[*swap.Values](t)(d.SearchSets().Known(ctx, "api.test", 443)); after != before {
		t.Error("a change elsewhere made another set")
	}
	d.set(CredentialInput{Name: "A", Description: "only words", Hosts: hosts(t, "api.test")})
	if after := must[*swap.Values](t)(d.SearchSets().Known(ctx, "api.test", 443)); after != before {
		t.Error("other words made another set")
	}
}

// What airlock admin changes in another process counts with the next answer, and an instance that was started anew knows as much.
func TestHoleH2AnotherProcess(t *testing.T) {
	d := newDesk(t)
	d.set(CredentialInput{Name: "A", Hosts: hosts(t, "api.test"), Value: app.NewSecret(firstValue)})
	d.wantSearched("at first", "api.test:443", []string{firstValue}, firstValue)
	st := must[*store.Store](t)(store.Open(t.Context(), d.dir, nil))
	defer st.Close()
	other := *d
	cfg := d.cfg
	cfg.Store = st
	other.Service = New(cfg)
	other.set(CredentialInput{Name: "A", Value: app.NewSecret(secondValue)})
	for _, one := range []*desk{d, &other} {
		one.wantSearched("after a rotation elsewhere", "api.test:443", []string{firstValue, secondValue}, firstValue, secondValue)
	}
}

// Superseded values are sealed, bounded in number, never given to a script, and gone when hosts are not taken to show them any more.
func TestHoleH2SupersededValuesAtRest(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	for n := range 110 {
		d.set(CredentialInput{Name: "A", Hosts: hosts(t, "api.test"), Value: app.NewSecret(fmt.Sprintf("%s-%03d", firstValue, n))})
	}
	if n := d.rows("superseded_values"); n != 100 {
		t.Errorf("%d superseded values of one credential", n)
	}
	files, _ := filepath.Glob(filepath.Join(d.dir, "*"))
	for _, f := range files {
		if text := must[[]byte](t)(os.ReadFile(f)); bytes.Contains(text, []byte(firstValue)) {
			t.Errorf("%s holds a value", f)
		}
	}
	p := d.unlocked("A")
	must[app.Profile](t)(d.LinkKey(ctx, person, p.Handle, "A", "A"))
	p = must[app.Profile](t)(d.Lock(ctx, person, p.Handle, time.Time{}))
	if got := d.values(p)["A"]; got != firstValue+"-109" {
		t.Errorf("a script gets %s", got)
	}
	if err := d.store.Write(ctx, func(tx *store.Tx) error {
		_, err := tx.PruneSuperseded(ctx, d.clock.now().Add(time.Second))
		return err
	}); err != nil || d.rows("superseded_values") != 0 {
		t.Errorf("%v", err)
	}
}

// TestHoleH2HostEditsEvictNoValue: what is bounded is values, not how often the hosts of one were changed.
func TestHoleH2HostEditsEvictNoValue(t *testing.T) {
	d := newDesk(t)
	d.set(CredentialInput{Name: "A", Hosts: hosts(t, "api.test"), Value: app.NewSecret(firstValue)})
	d.set(CredentialInput{Name: "A", Value: app.NewSecret(secondValue)})
	for n := range 200 {
		d.set(CredentialInput{Name: "A", Hosts: hosts(t, fmt.Sprintf("api-%d.test", n))})
	}
	d.wantSearched("where the first value belonged", "api.test:443", []string{firstValue, secondValue}, firstValue, secondValue)
	for _, place := range []string{"api-0.test:443", "api-100.test:443"} {
		d.wantSearched("where the second one did", place, []string{secondValue}, firstValue, secondValue)
	}
	d.wantSearched("where the credential belongs now", "api-199.test:443", []string{firstValue, secondValue}, firstValue, secondValue)
	if n := d.rows("superseded_values"); n != 2 {
		t.Errorf("%d rows for two values", n)
	}
}

// A value that no key opens keeps nobody from its hosts; one that another key sealed, which is on its way here, lets nothing pass.
func TestSearchSetsOfDamagedValues(t *testing.T) {
	d := newDesk(t)
	ctx := t.Context()
	d.set(CredentialInput{Name: "A", Hosts: hosts(t, "api.test"), Value: app.NewSecret(firstValue)})
	d.set(CredentialInput{Name: "B", Hosts: hosts(t, "api.test"), Value: app.NewSecret(secondValue)})
	if _, err := d.raw().Exec("UPDATE credential_versions SET value = substr(value, 1, length(value) - 1) WHERE credential_id = (SELECT id FROM credentials WHERE name = 'A')"); err != nil {
		t.Fatal(err)
	}
	d.wantSearched("with a damaged one", "api.test:443", []string{secondValue}, firstValue, secondValue)
	stranger := must[*secrets.Keyring](t)(secrets.NewKeyring(app.NewSecret("another instance key of 32 characters")))
	cfg := d.cfg
	cfg.Keyring = stranger
	if known, err := New(cfg).SearchSets().Known(ctx, "api.test", 443); err == nil {
		t.Errorf("with values of an unknown key: %v", known)
	}
}

// TestHoleH2ValuesInVault: every value that was read is searched for, also after it was replaced there, as long as the program runs.
func TestHoleH2ValuesInVault(t *testing.T) {
	d, s := newVaultDesk(t)
	ctx := t.Context()
	d.set(CredentialInput{Name: "TOKEN", Hosts: hosts(t, "api.test"), Reference: "secret/data/app#token"})
	d.wantSearched("before it was read", "api.test:443", []string{}, inVaultValue)
	p := must[app.Profile](t)(d.CreateProfile(ctx, person, "x"))
	must[app.Profile](t)(d.AddKeys(ctx, person, p.Handle, []app.Key{{Name: "TOKEN"}}))
	must[app.Profile](t)(d.LinkKey(ctx, person, p.Handle, "TOKEN", "TOKEN"))
	p = must[app.Profile](t)(d.Lock(ctx, person, p.Handle, time.Time{}))
	d.values(p)
	d.wantSearched("after it was read", "api.test:443", []string{inVaultValue}, inVaultValue, secondValue)
	s.Put("app", map[string]any{"token": secondValue})
	d.values(p)
	d.wantSearched("after it was replaced", "api.test:443", []string{inVaultValue, secondValue}, inVaultValue, secondValue)
	d.set(CredentialInput{Name: "TOKEN", Source: app.SourceLocal, Value: app.NewSecret(firstValue)})
	d.wantSearched("after the source was", "api.test:443", []string{firstValue, inVaultValue, secondValue}, firstValue, inVaultValue, secondValue)
	if n := d.rows("superseded_values"); n != 0 {
		t.Error("a value from Vault was stored")
	}
}

// TestSlowSetKeepsNobodyWaiting: while the set of one host is made, others have theirs, and it is made once for all who ask.
func TestSlowSetKeepsNobodyWaiting(t *testing.T) {
	d := newDesk(t)
	d.set(CredentialInput{Name: "A", Hosts: hosts(t, "api.test"), Value: app.NewSecret(firstValue)})
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
			if f, err := d.SearchSets().find(t.Context(), "slow", slow); err != nil || len(f.set.secrets) != 1 {
				t.Errorf("%+v %v", f, err)
			}
		})
	}
	<-began
	d.wantSearched("meanwhile", "api.test:443", []string{firstValue}, firstValue)
	d.set(CredentialInput{Name: "A", Value: app.NewSecret(secondValue)})
	d.wantSearched("after a rotation meanwhile", "api.test:443", []string{firstValue, secondValue}, firstValue, secondValue)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.SearchSets().find(gone, "slow", slow); !errors.Is(err, context.Canceled) {
		t.Errorf("who has gone waits on: %v", err)
	}
	if n := made.Load(); n != 1 {
		t.Errorf("it is made %d times at once", n)
	}
	close(finish)
	all.Wait()
}

// TestSetsAskedForAtOnce: whoever asks after a rotation has the new value, however many ask at once.
func TestSetsAskedForAtOnce(t *testing.T) {
	d := newDesk(t)
	d.set(CredentialInput{Name: "A", Hosts: hosts(t, "api.test"), Value: app.NewSecret(firstValue + "-0")})
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
		d.set(CredentialInput{Name: "A", Value: app.NewSecret(fmt.Sprintf("%s-%d", firstValue, n+1))})
		rotations.Add(1)
	}
	close(done)
	all.Wait()
}

// TestVaultValueJoinsItsSets: a value that was read from Vault is searched for without another look at what the store has.
func TestVaultValueJoinsItsSets(t *testing.T) {
	d, s := newVaultDesk(t)
	c := d.set(CredentialInput{Name: "TOKEN", Hosts: hosts(t, "api.test"), Reference: "secret/data/app#token"})
	d.set(CredentialInput{Name: "OTHER", Hosts: hosts(t, "elsewhere.test"), Value: app.NewSecret(otherValue)})
	p := d.unlocked("TOKEN")
	must[app.Profile](t)(d.LinkKey(t.Context(), person, p.Handle, "TOKEN", "TOKEN"))
	p = must[app.Profile](t)(d.Lock(t.Context(), person, p.Handle, time.Time{}))
	d.values(p)
	d.wantSearched("after it was read", "api.test:443", []string{inVaultValue}, inVaultValue, secondValue)
	other := must[*swap.Values](t)(d.SearchSets().Known(t.Context(), "elsewhere.test", 443))
	before := d.sets.index
	s.Put("app", map[string]any{"token": secondValue})
	d.values(p)
	d.wantSearched("after it was replaced", "api.test:443", []string{inVaultValue, secondValue}, inVaultValue, secondValue)
	if after := d.sets.index; after == before || &after.stored[0] != &before.stored[0] {
		t.Error("all credentials were read again")
	}
	if again := must[*swap.Values](t)(d.SearchSets().Known(t.Context(), "elsewhere.test", 443)); again != other {
		t.Error("another host's set was made again")
	}

	// The memory is one: for masking, too.
	if latest, ok := d.vault.latest(c.ID, must[app.Reference](t)(app.ParseReference(c.Reference))); !ok || len(latest) != 2 || latest[0].Reveal() != secondValue {
		t.Errorf("%d values are remembered, %v", len(latest), ok)
	}
	if err := d.DeleteCredential(t.Context(), person, "OTHER"); err != nil {
		t.Fatal(err)
	}
	d.wantSearched("after another was deleted", "api.test:443", []string{inVaultValue, secondValue}, inVaultValue, secondValue)
	if err := d.store.Write(t.Context(), func(tx *store.Tx) error { return tx.DeleteCredential(t.Context(), c.ID) }); err != nil {
		t.Fatal(err)
	}
	d.wantSearched("after the deletion", "api.test:443", nil)
	if len(d.vault.read) != 0 {
		t.Error("values of a deleted credential are remembered")
	}
}

// TestHoleH2HostsTakenFromAValueInVault: where a value from Vault belonged once it stays known, also if no host is left or it is
// plain now, and changes of hosts push no value out.
func TestHoleH2HostsTakenFromAValueInVault(t *testing.T) {
	d, s := newVaultDesk(t)
	d.set(CredentialInput{Name: "TOKEN", Hosts: hosts(t, "api.test"), Reference: "secret/data/app#token"})
	p := d.unlocked("TOKEN")
	must[app.Profile](t)(d.LinkKey(t.Context(), person, p.Handle, "TOKEN", "TOKEN"))
	p = must[app.Profile](t)(d.Lock(t.Context(), person, p.Handle, time.Time{}))
	d.values(p)
	s.Put("app", map[string]any{"token": secondValue})
	for n := range maxSeen + 1 {
		d.set(CredentialInput{Name: "TOKEN", Hosts: hosts(t, "api.test", fmt.Sprintf("api-%d.test", n))})
		d.values(p)
	}
	d.wantSearched("after many changes of hosts", "api.test:443", []string{inVaultValue, secondValue}, inVaultValue, secondValue)
	d.set(CredentialInput{Name: "TOKEN", Mode: app.ModePlain, Hosts: []app.Host{}})
	d.wantSearched("plain, and without a host", "api-0.test:443", []string{secondValue}, inVaultValue, secondValue)
}

// TestHoleF2VaultValueAtALaterHost: a value from Vault is searched for wherever its credential belongs now, in whichever mode it was
// read, and nobody has to read it again for that.
func TestHoleF2VaultValueAtALaterHost(t *testing.T) {
	both := hosts(t, "api.test", "other.test")
	tests := []struct {
		name        string
		read, later CredentialInput // the value is read in between
	}{
		{"one more host", CredentialInput{Hosts: both[:1]}, CredentialInput{Hosts: both}},
		{"the first hosts", CredentialInput{Mode: app.ModeInjected, Hosts: []app.Host{}}, CredentialInput{Mode: app.ModeSealed, Hosts: both}},
		{"no secret before", CredentialInput{Mode: app.ModePlain, Hosts: both[:1]}, CredentialInput{Mode: app.ModeSealed, Hosts: both}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, s := newVaultDesk(t)
			test.read.Name, test.later.Name, test.read.Reference = "TOKEN", "TOKEN", "secret/data/app#token"
			d.set(test.read)
			p := d.lockedWith("TOKEN")
			d.values(p)
			s.Put("app", map[string]any{"token": secondValue})
			d.values(p)
			d.searched("other.test:443")
			d.set(test.later)
			for _, place := range []string{"api.test:443", "other.test:443"} {
				d.wantSearched("later", place, []string{inVaultValue, secondValue}, inVaultValue, secondValue)
			}
			if got := d.masked([]string{"other.test"}, inVaultValue, secondValue); len(got) != 2 {
				t.Errorf("output is searched for %v", got)
			}
		})
	}
}

// lockedWith locks a profile with a key that is linked to the credential of its name.
func (d *desk) lockedWith(name string) app.Profile {
	d.t.Helper()
	p := d.unlocked(name)
	must[app.Profile](d.t)(d.LinkKey(d.t.Context(), person, p.Handle, name, name))
	return must[app.Profile](d.t)(d.Lock(d.t.Context(), person, p.Handle, time.Time{}))
}

// TestVaultValueThatIsNotSealed: a value from Vault that scripts may have makes no connection be read, and a plain one is searched for
// nowhere.
func TestVaultValueThatIsNotSealed(t *testing.T) {
	for mode, masked := range map[app.Mode][]string{app.ModeInjected: {inVaultValue}, app.ModePlain: nil} {
		d, _ := newVaultDesk(t)
		d.set(CredentialInput{Name: "TOKEN", Mode: mode, Hosts: hosts(t, "api.test"), Reference: "secret/data/app#token"})
		d.values(d.lockedWith("TOKEN"))
		d.wantSearched(string(mode), "api.test:443", nil)
		if got := d.masked([]string{"api.test"}, inVaultValue); !slices.Equal(got, masked) {
			t.Errorf("%s: output is searched for %v", mode, got)
		}
	}
}

// TestHoleF2VaultValueIsKept: what was read from Vault stays known, whatever becomes of its credential but its deletion.
func TestHoleF2VaultValueIsKept(t *testing.T) {
	for name, steps := range map[string][]CredentialInput{
		"injected, without hosts": {{Mode: app.ModeInjected, Hosts: []app.Host{}}},
		"plain":                   {{Mode: app.ModePlain}},
		"plain and back":          {{Mode: app.ModePlain}, {Mode: app.ModeSealed}},
		"another reference":       {{Reference: "secret/data/other#token"}},
		"another source":          {{Source: app.SourceLocal, Value: app.NewSecret(secondValue), Mode: app.ModeInjected, Hosts: []app.Host{}}},
	} {
		t.Run(name, func(t *testing.T) {
			d, _ := newVaultDesk(t)
			d.set(CredentialInput{Name: "TOKEN", Hosts: hosts(t, "api.test"), Reference: "secret/data/app#token"})
			d.values(d.lockedWith("TOKEN"))
			d.wantSearched("at first", "api.test:443", []string{inVaultValue}, inVaultValue)
			for _, in := range steps {
				in.Name = "TOKEN"
				d.set(in)
				d.wantSearched("then", "api.test:443", []string{inVaultValue}, inVaultValue)
			}
		})
	}
}

// TestHoleF2VaultValueReadWhileHostsCame: a value that was asked for before its credential got its hosts, and came after, is searched
// for there.
func TestHoleF2VaultValueReadWhileHostsCame(t *testing.T) {
	d, _ := newVaultDesk(t)
	c := d.set(CredentialInput{Name: "TOKEN", Mode: app.ModeInjected, Reference: "secret/data/app#token"})
	d.set(CredentialInput{Name: "TOKEN", Mode: app.ModeSealed, Hosts: hosts(t, "api.test")})
	d.wantSearched("before it came", "api.test:443", []string{}, inVaultValue)
	d.vault.add(c, must[app.Reference](t)(app.ParseReference(c.Reference)), app.NewSecret(inVaultValue), false)
	d.wantSearched("after", "api.test:443", []string{inVaultValue}, inVaultValue)
}

// TestHoleF2SupersededValueAtALaterHost: a value that was replaced is searched for wherever its credential belongs now, also if it
// belonged nowhere when it was replaced.
func TestHoleF2SupersededValueAtALaterHost(t *testing.T) {
	d := newDesk(t)
	d.set(CredentialInput{Name: "A", Hosts: hosts(t, "api.test"), Value: app.NewSecret(firstValue)})
	d.set(CredentialInput{Name: "A", Value: app.NewSecret(secondValue)})
	d.set(CredentialInput{Name: "A", Hosts: hosts(t, "api.test", "other.test")})
	d.wantSearched("one more host", "other.test:443", []string{firstValue, secondValue}, firstValue, secondValue)
	d.set(CredentialInput{Name: "B", Mode: app.ModeInjected, Value: app.NewSecret(otherValue)})
	d.set(CredentialInput{Name: "B", Mode: app.ModeSealed, Hosts: hosts(t, "new.test"), Value: app.NewSecret(thirdValue)})
	d.wantSearched("the first hosts", "new.test:443", []string{otherValue, thirdValue}, otherValue, thirdValue)
	if got := d.masked([]string{"new.test"}, otherValue, thirdValue); len(got) != 2 {
		t.Errorf("output is searched for %v", got)
	}
}
