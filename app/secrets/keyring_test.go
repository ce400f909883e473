package secrets

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/computclaw/airlock/app"
)

func ring(t testing.TB, keys ...string) *Keyring {
	t.Helper()
	var all []app.Secret
	for _, k := range keys {
		all = append(all, app.NewSecret(k))
	}
	k, err := NewKeyring(all[0], all[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

const (
	first  = "first-instance-key-of-the-tests-0123456789"
	second = "second-instance-key-of-the-tests-0123456789"
)

func TestSealOpen(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		k := ring(t, first)
		p := Purpose(rapid.SampledFrom([]string{"values", "scripts", "profiles"}).Draw(r, "purpose"))
		row, text := rapid.String().Draw(r, "row"), rapid.SliceOf(rapid.Byte()).Draw(r, "text")
		token := k.Seal(p, row, text)
		got, err := k.Open(p, row, token)
		if err != nil || !bytes.Equal(got, text) {
			r.Fatalf("opened %q, %v; sealed %q", got, err, text)
		}
		if len(text) > 7 && bytes.Contains(token, text) {
			r.Fatalf("the token holds the plaintext")
		}
		if bytes.Equal(token, k.Seal(p, row, text)) {
			r.Fatalf("two tokens are equal")
		}
	})
}

func TestTamperedTokenDoesNotOpen(t *testing.T) {
	k := ring(t, first, second)
	plaintext := "the-plaintext-of-the-credential"
	token := k.Seal(Values, "credential:a:1", []byte(plaintext))
	for i := range token {
		for bit := range 8 {
			changed := bytes.Clone(token)
			changed[i] ^= 1 << bit
			mustNotOpen(t, k, Values, "credential:a:1", changed, plaintext)
		}
	}
	for n := range len(token) {
		mustNotOpen(t, k, Values, "credential:a:1", token[:n], plaintext)
	}
	mustNotOpen(t, k, Values, "credential:a:1", append(bytes.Clone(token), 0), plaintext)
}

func TestTokenIsBoundToRowAndPurpose(t *testing.T) {
	k := ring(t, first)
	token := k.Seal(Values, "credential:a:1", []byte("value"))
	mustNotOpen(t, k, Values, "credential:b:1", token, "value")
	mustNotOpen(t, k, Values, "credential:a:2", token, "value")
	mustNotOpen(t, k, Values, "", token, "value")
	mustNotOpen(t, k, Scripts, "credential:a:1", token, "value")
	mustNotOpen(t, k, Values+"credential:", "a:1", token, "value")
}

func TestOlderKeysOpen(t *testing.T) {
	old := ring(t, first)
	token, check := old.Seal(Values, "r", []byte("v")), old.CheckValue()
	both := ring(t, second, first)
	if got, err := both.Open(Values, "r", token); err != nil || string(got) != "v" {
		t.Errorf("older key: %q, %v", got, err)
	}
	if err := both.Verify(check); err != nil {
		t.Errorf("check value of the older key: %v", err)
	}
	if both.KeyID() == old.KeyID() || both.KeyID() != ring(t, second).KeyID() {
		t.Errorf("the first key doesn't seal: %s", both.KeyID())
	}
	mustNotOpen(t, old, Values, "r", both.Seal(Values, "r", []byte("v")), "v")
}

func TestWrongKeyIsRefused(t *testing.T) {
	check := ring(t, first).CheckValue()
	if err := ring(t, first).Verify(check); err != nil {
		t.Errorf("right key: %v", err)
	}
	for name, check := range map[string][]byte{"other key": ring(t, second).CheckValue(), "empty": nil,
		"other row": ring(t, first).Seal(Settings, "x", []byte(checkText))} {
		if err := ring(t, first).Verify(check); !errors.Is(err, ErrOpen) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLookup(t *testing.T) {
	k := ring(t, first)
	if len(k.Lookup(Profiles, "ark_1")) != 32 {
		t.Error("a hash has 32 bytes")
	}
	if cmp.Equal(k.Lookup(Profiles, "ark_1"), k.Lookup(Execs, "ark_1")) ||
		cmp.Equal(k.Lookup(Profiles, "ark_1"), k.Lookup(Profiles, "ark_2")) {
		t.Error("hashes of different ids or purposes are equal")
	}
	if cmp.Equal(k.Lookup(Profiles, "ark_1"), ring(t, second).Lookup(Profiles, "ark_1")) {
		t.Error("the hash doesn't depend on the key")
	}
	if !cmp.Equal(k.Lookup(Profiles, "ark_1"), ring(t, second, first).Lookup(Profiles, "ark_1")) {
		t.Error("a new key in front changed the hash")
	}
}

func TestLookupSurvivesRotation(t *testing.T) {
	want := ring(t, first).Lookup(Profiles, "ark_1")
	stored := ring(t, first).SealLookupKey()

	both, err := ring(t, second, first).WithLookupKey(stored)
	if err != nil {
		t.Fatal(err)
	}
	stored = both.SealLookupKey() // with the new key

	alone, err := ring(t, second).WithLookupKey(stored)
	if err != nil {
		t.Fatal(err)
	}
	if !cmp.Equal(alone.Lookup(Profiles, "ark_1"), want) {
		t.Error("the hash changed when the old key was dropped")
	}
	if _, err := ring(t, first).WithLookupKey(stored); !errors.Is(err, ErrOpen) {
		t.Errorf("a foreign lookup key was taken: %v", err)
	}
	if _, err := ring(t, first).WithLookupKey(ring(t, first).Seal(Settings, lookupRow, []byte("short"))); !errors.Is(err,
		ErrOpen) {
		t.Errorf("a short lookup key was taken: %v", err)
	}
}

func TestNewKeyringRefusesShortKeys(t *testing.T) {
	for _, keys := range [][2]string{{strings.Repeat("k", 31), first}, {first, strings.Repeat("é", 31)}, {"", first}} {
		_, err := NewKeyring(app.NewSecret(keys[0]), app.NewSecret(keys[1]))
		if err == nil || strings.Contains(err.Error(), "kkkk") {
			t.Errorf("%q: %v", keys, err)
		}
	}
	if _, err := NewKeyring(app.NewSecret(strings.Repeat("é", 32))); err != nil {
		t.Errorf("32 characters: %v", err)
	}
}

func TestKeyringPrintsNoKey(t *testing.T) {
	k := ring(t, first)
	for _, verb := range []string{"%v", "%+v", "%#v", "%x", "%s", "%d", "%q"} {
		for _, text := range []string{fmt.Sprintf(verb, k), fmt.Sprintf(verb, *k)} {
			if text != "keyring("+k.KeyID()+")" {
				t.Errorf("%s prints %s", verb, text)
			}
		}
	}
}

func mustNotOpen(t *testing.T, k *Keyring, p Purpose, row string, token []byte, plaintext string) {
	t.Helper()
	got, err := k.Open(p, row, token)
	if !errors.Is(err, ErrOpen) || got != nil {
		t.Fatalf("opened %q, %v", got, err)
	}
	if len(plaintext) > 1 && strings.Contains(err.Error(), plaintext) {
		t.Fatalf("the error tells the plaintext: %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	k := ring(f, first)
	f.Add([]byte{})
	f.Add(k.Seal(Values, "row", []byte("x")))
	f.Add(k.Seal(Scripts, "row", nil))
	f.Fuzz(func(t *testing.T, token []byte) {
		// Only Seal's token for this row and purpose opens; the fuzzer can only repeat a seed.
		got, err := k.Open(Values, "row", token)
		if err != nil && (!errors.Is(err, ErrOpen) || got != nil) {
			t.Fatalf("%q, %v", got, err)
		}
		if err == nil && string(got) != "x" {
			t.Fatalf("a forged token opened as %q", got)
		}
	})
}

// TestFormatIsStable opens a token of an earlier build: data at rest must stay readable.
func TestFormatIsStable(t *testing.T) {
	token, err := hex.DecodeString(golden)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ring(t, first).Open(Values, "credential:golden:1", token)
	if err != nil || string(got) != "golden value" {
		t.Errorf("%q, %v", got, err)
	}
	if got := hex.EncodeToString(ring(t, first).Lookup(Profiles, "ark_golden")); got != goldenLookup {
		t.Errorf("the lookup hash changed: %s", got)
	}
}

// Made once with the key `first`; never to be regenerated.
const (
	golden = "01e091d4c4000000006b0040c1a98ddaf69c37021d8dad4ddc764758732bc0a94350" +
		"cbfab2e8cbfe8ede327185b7b8b200fea49d1e"
	goldenLookup = "18f4e873e78a05aa814dec6fd04ef7e89baf94439eac99944f3a1c5ca0119a03"
)
