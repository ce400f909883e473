package auth_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/go-webauthn/webauthn/protocol/webauthncbor"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access/accesstest"
	"github.com/computclaw/airlock/app/auth"
)

var here = app.RelyingParty{ID: "airlock.example.com", Origin: "https://airlock.example.com"}

// Flags of an authenticator's answer.
const (
	userPresent  = 0x01
	userVerified = 0x04
	hasKey       = 0x40
)

// authenticator is a software authenticator with one passkey. Tests can falsify its fields.
type authenticator struct {
	t        *testing.T
	key      *ecdsa.PrivateKey
	id       []byte
	user     []byte
	host     string // that it signs for
	origin   string // that its browser shows
	flags    byte
	count    uint32
	lastSent []byte
}

func newAuthenticator(t *testing.T) *authenticator {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	id := make([]byte, 32)
	_, _ = rand.Read(id)
	return &authenticator{t: t, key: key, id: id, host: here.ID, origin: here.Origin, flags: userPresent | userVerified}
}

func encoded(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

func (a *authenticator) json(v any) []byte {
	a.t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		a.t.Fatal(err)
	}
	return text
}

// options are the parts of a browser's options for an authenticator.
func (a *authenticator) options(text []byte) (challenge string) {
	a.t.Helper()
	var o struct {
		PublicKey struct {
			Challenge        string
			UserVerification string
			RPID             string `json:"rpId"`
			User             struct{ ID string }
			Selection        struct{ UserVerification, ResidentKey string } `json:"authenticatorSelection"`
		} `json:"publicKey"`
	}
	if err := json.Unmarshal(text, &o); err != nil {
		a.t.Fatal(err)
	}
	if o.PublicKey.UserVerification != "required" && o.PublicKey.Selection.UserVerification != "required" {
		a.t.Errorf("the user need not be verified: %s", text)
	}
	if o.PublicKey.User.ID != "" {
		if o.PublicKey.Selection.ResidentKey != "required" {
			a.t.Errorf("the passkey need not be discoverable: %s", text)
		}
		a.user, _ = base64.RawURLEncoding.DecodeString(o.PublicKey.User.ID)
	}
	return o.PublicKey.Challenge
}

func (a *authenticator) data(extra ...byte) []byte {
	host := sha256.Sum256([]byte(a.host))
	flags := a.flags
	if len(extra) > 0 {
		flags |= hasKey
	}
	return append(binary.BigEndian.AppendUint32(append(host[:], flags), a.count), extra...)
}

// create answers the options of a registration.
func (a *authenticator) create(options []byte) []byte {
	a.t.Helper()
	client := a.json(map[string]any{"type": "webauthn.create", "challenge": a.options(options), "origin": a.origin})
	point, err := a.key.PublicKey.Bytes()
	if err != nil {
		a.t.Fatal(err)
	}
	cose, err := webauthncbor.Marshal(map[int]any{1: 2, 3: -7, -1: 1, -2: point[1:33], -3: point[33:]})
	if err != nil {
		a.t.Fatal(err)
	}
	extra := append(make([]byte, 16), byte(len(a.id)>>8), byte(len(a.id)))
	object, err := webauthncbor.Marshal(map[string]any{"fmt": "none", "attStmt": map[string]any{},
		"authData": a.data(append(append(extra, a.id...), cose...)...)})
	if err != nil {
		a.t.Fatal(err)
	}
	return a.json(map[string]any{"id": encoded(a.id), "rawId": encoded(a.id), "type": "public-key",
		"response": map[string]any{"clientDataJSON": encoded(client), "attestationObject": encoded(object)}})
}

func (a *authenticator) get(options []byte) []byte {
	a.t.Helper()
	a.count++
	client := a.json(map[string]any{"type": "webauthn.get", "challenge": a.options(options), "origin": a.origin})
	digest := sha256.Sum256(client)
	signed := sha256.Sum256(append(a.data(), digest[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, a.key, signed[:])
	if err != nil {
		a.t.Fatal(err)
	}
	a.lastSent = a.json(map[string]any{"id": encoded(a.id), "rawId": encoded(a.id), "type": "public-key",
		"response": map[string]any{"clientDataJSON": encoded(client), "authenticatorData": encoded(a.data()),
			"signature": encoded(signature), "userHandle": encoded(a.user)}})
	return a.lastSent
}

func (d *desk) addPasskey(x auth.Session, name string) *authenticator {
	d.T.Helper()
	a := newAuthenticator(d.T.(*testing.T))
	options := accesstest.Must[[]byte](d.T)(d.Passkeys.RegistrationOptions(d.T.Context(), x, here))
	if err := d.Passkeys.Register(d.T.Context(), x, here, name, a.create(options)); err != nil {
		d.T.Fatal(err)
	}
	return a
}

func (d *desk) passkeyOptions() []byte {
	d.T.Helper()
	return accesstest.Must[[]byte](d.T)(d.Passkeys.LoginOptions(here))
}

func (d *desk) logInWith(response []byte, address string) (auth.Opened, error) {
	return d.Passkeys.Login(d.T.Context(), here, address, "Mozilla", response)
}

func TestPasskeyLogsItsPersonIn(t *testing.T) {
	d := founded(t)
	ada := d.SessionOf(d.LogIn("Ada"))
	a := d.addPasskey(ada, " laptop  one ")
	d.Pass(time.Hour)
	opened := accesstest.Must[auth.Opened](t)(d.logInWith(a.get(d.passkeyOptions()), accesstest.Browser))
	if x := d.SessionOf(opened.Token); x.PersonID != ada.PersonID || x.Actor.Name != "Ada" || !x.IsFresh(d.Now()) {
		t.Errorf("session %+v", x)
	}
	list := accesstest.Must[[]app.Passkey](t)(d.Passkeys.List(t.Context(), ada.PersonID))
	if len(list) != 1 || list[0].Name != "laptop one" || list[0].Host != here.ID || list[0].SignCount != 1 ||
		!list[0].UsedAt.Equal(d.Now()) {
		t.Errorf("passkeys %+v", list)
	}
	people := accesstest.Must[[]auth.Person](t)(d.People.List(t.Context()))
	if !people[0].LastLoginAt.Equal(d.Now()) || people[0].Passkeys != 1 {
		t.Errorf("people %+v", people)
	}
}

// TestPasskeyIsRefused: each answer is right but for one thing.
func TestPasskeyIsRefused(t *testing.T) {
	other := app.RelyingParty{ID: "airlock.example.net", Origin: "https://airlock.example.net"}
	for name, c := range map[string]struct {
		bend func(d *desk, a *authenticator) []byte
		why  string
	}{
		"challenge used before": {func(d *desk, a *authenticator) []byte {
			response := a.get(d.passkeyOptions())
			accesstest.Must[auth.Opened](t)(d.logInWith(response, accesstest.Browser))
			return response
		}, "used before"},
		"challenge too old": {func(d *desk, a *authenticator) []byte {
			options := d.passkeyOptions()
			d.Pass(5 * time.Minute)
			return a.get(options)
		}, "too old"},
		"challenge of a registration": {func(d *desk, a *authenticator) []byte {
			x := d.SessionOf(d.LogIn("Ada"))
			return a.get(accesstest.Must[[]byte](t)(d.Passkeys.RegistrationOptions(t.Context(), x, here)))
		}, "not ours"},
		"challenge for another address": {func(d *desk, a *authenticator) []byte {
			return a.get(accesstest.Must[[]byte](t)(d.Passkeys.LoginOptions(other)))
		}, "not ours"},
		"challenge of another process": {func(_ *desk, a *authenticator) []byte {
			return a.get(founded(t).passkeyOptions())
		}, "not ours"},
		"origin of another page": {func(d *desk, a *authenticator) []byte {
			a.origin = "https://evil.example.com"
			return a.get(d.passkeyOptions())
		}, "did not verify"},
		"signed for another host": {func(d *desk, a *authenticator) []byte {
			a.host = "evil.example.com"
			return a.get(d.passkeyOptions())
		}, "did not verify"},
		"user not verified": {func(d *desk, a *authenticator) []byte {
			a.flags = userPresent
			return a.get(d.passkeyOptions())
		}, "did not verify"},
		"user not present": {func(d *desk, a *authenticator) []byte {
			a.flags = userVerified
			return a.get(d.passkeyOptions())
		}, "did not verify"},
		"another key": {func(d *desk, a *authenticator) []byte {
			a.key = newAuthenticator(t).key
			return a.get(d.passkeyOptions())
		}, "did not verify"},
		"counter that stands still": {func(d *desk, a *authenticator) []byte {
			accesstest.Must[auth.Opened](t)(d.logInWith(a.get(d.passkeyOptions()), accesstest.Browser))
			a.count--
			return a.get(d.passkeyOptions())
		}, "may have been copied"},
		"another person's handle": {func(d *desk, a *authenticator) []byte {
			token, _, err := d.Invitations.Create(t.Context(), d.SessionOf(d.LogIn("Ada")).Actor, app.RoleOwner)
			if err != nil {
				t.Fatal(err)
			}
			a.user = []byte(d.SessionOf(d.JoinAs(token, "Bob")).PersonID)
			return a.get(d.passkeyOptions())
		}, "nobody here has it"},
		"nobody's handle": {func(d *desk, a *authenticator) []byte {
			a.user = []byte("nobody")
			return a.get(d.passkeyOptions())
		}, "nobody here has it"},
		"not JSON":     {func(*desk, *authenticator) []byte { return []byte("{") }, "did not verify"},
		"nothing":      {func(*desk, *authenticator) []byte { return nil }, "did not verify"},
		"empty object": {func(*desk, *authenticator) []byte { return []byte(`{}`) }, "did not verify"},
		"deep": {func(*desk, *authenticator) []byte {
			return []byte(strings.Repeat(`{"response":`, 1000) + strings.Repeat("}", 1000))
		}, "did not verify"},
	} {
		t.Run(name, func(t *testing.T) {
			d := founded(t)
			a := d.addPasskey(d.SessionOf(d.LogIn("Ada")), "laptop")
			response := c.bend(d, a)
			_, err := d.logInWith(response, "192.0.2.77")
			accesstest.WantCode(t, name, err, app.CodeUnauthorized)
			events := accesstest.Must[[]app.Event](t)(d.Audit.Latest(t.Context(), 1))
			if events[0].Action != "session.refuse" || !strings.Contains(events[0].Detail, c.why) ||
				events[0].Actor.Address != "192.0.2.77" {
				t.Errorf("event %+v, want %q", events[0], c.why)
			}
		})
	}
}

// TestPasskeyRegistrationIsRefused: each is right but for one thing.
func TestPasskeyRegistrationIsRefused(t *testing.T) {
	d := founded(t)
	ctx := t.Context()
	x, again := d.SessionOf(d.LogIn("Ada")), d.SessionOf(d.LogIn("Ada"))
	options := func(x auth.Session) []byte {
		return accesstest.Must[[]byte](t)(d.Passkeys.RegistrationOptions(ctx, x, here))
	}
	refused := func(name string, response []byte) {
		t.Helper()
		accesstest.WantCode(t, name, d.Passkeys.Register(ctx, x, here, "laptop", response), app.CodeInvalidField)
	}
	refused("a challenge of another session", newAuthenticator(t).create(options(again)))
	refused("a challenge of a login", newAuthenticator(t).create(d.passkeyOptions()))
	unverified := newAuthenticator(t)
	unverified.flags = userPresent
	refused("a user who was not verified", unverified.create(options(x)))
	elsewhere := newAuthenticator(t)
	elsewhere.origin = "https://evil.example.com"
	refused("the page of another site", elsewhere.create(options(x)))
	late := options(x)
	d.Pass(5 * time.Minute)
	refused("too late", newAuthenticator(t).create(late))
	refused("not JSON", []byte("x"))
	a := newAuthenticator(t)
	accesstest.WantCode(t, "a name that can't be seen", d.Passkeys.Register(ctx, x, here, "a\u200bb", a.create(options(x))),
		app.CodeInvalidField)
	response := a.create(options(x))
	if err := d.Passkeys.Register(ctx, x, here, "laptop", response); err != nil {
		t.Fatal(err)
	}
	refused("the same response again", response)
	refused("the same passkey again", a.create(options(x)))
	accesstest.WantCode(t, "an agent", d.Passkeys.Register(ctx, auth.Session{Actor: agent}, here, "x", response),
		app.CodeForbidden)
	for i := 1; i < app.MaxPasskeys; i++ {
		d.addPasskey(x, "more")
	}
	refused("one too many", newAuthenticator(t).create(options(x)))
}

// TestPasskeyEndsWithItsPersonAndItsReset: removal of a passkey or person, or a password reset,
// ends it.
func TestPasskeyEndsWithItsPersonAndItsReset(t *testing.T) {
	ctx := t.Context()
	for name, end := range map[string]func(d *desk, ada, bob auth.Session){
		"removed": func(d *desk, _, bob auth.Session) {
			list := accesstest.Must[[]app.Passkey](t)(d.Passkeys.List(ctx, bob.PersonID))
			if err := d.Passkeys.Remove(ctx, bob, auth.PasskeyID(list[0])); err != nil {
				t.Fatal(err)
			}
			accesstest.WantCode(t, "twice", d.Passkeys.Remove(ctx, bob, auth.PasskeyID(list[0])), app.CodeNotFound)
		},
		"removed on the host": func(d *desk, _, bob auth.Session) {
			command := app.Actor{Kind: app.ActorCommand, Name: "root"}
			if n, err := d.Passkeys.RemoveAll(ctx, command, "BOB"); n != 1 || err != nil {
				t.Fatal(n, err)
			}
			if list := accesstest.Must[[]app.Passkey](t)(d.Passkeys.List(ctx, bob.PersonID)); len(list) != 0 {
				t.Errorf("passkeys %+v", list)
			}
			_, err := d.Passkeys.RemoveAll(ctx, command, "Eve")
			accesstest.WantCode(t, "nobody", err, app.CodeNotFound)
		},
		"person removed": func(d *desk, ada, bob auth.Session) {
			if err := d.People.Remove(ctx, ada, bob.PersonID); err != nil {
				t.Fatal(err)
			}
		},
		"password reset": func(d *desk, _, _ auth.Session) {
			d.JoinAs(accesstest.Must[app.Secret](t)(d.AdminToken.Renew(ctx, app.Actor{Kind: app.ActorCommand})), "Bob")
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := founded(t)
			ada := d.SessionOf(d.LogIn("Ada"))
			token, _, err := d.Invitations.Create(ctx, ada.Actor, app.RoleOwner)
			if err != nil {
				t.Fatal(err)
			}
			bob := d.SessionOf(d.JoinAs(token, "Bob"))
			a := d.addPasskey(bob, "phone")
			before := a.get(d.passkeyOptions())
			end(d, ada, bob)
			_, err = d.logInWith(before, accesstest.Browser)
			accesstest.WantCode(t, "with a challenge from before", err, app.CodeUnauthorized)
			_, err = d.logInWith(a.get(d.passkeyOptions()), accesstest.Browser)
			accesstest.WantCode(t, "afterwards", err, app.CodeUnauthorized)
		})
	}
}

// TestPasskeyGuessingIsLimitedWithPasswords: one count per address for both.
func TestPasskeyGuessingIsLimitedWithPasswords(t *testing.T) {
	d := founded(t)
	a := d.addPasskey(d.SessionOf(d.LogIn("Ada")), "laptop")
	const address = "192.0.2.66"
	for range auth.AddressBurst - 1 {
		_, err := d.logInWith([]byte("{}"), address)
		accesstest.WantCode(t, "wrong", err, app.CodeUnauthorized)
	}
	for range auth.AddressBurst {
		accesstest.Must[auth.Opened](t)(d.logInWith(a.get(d.passkeyOptions()), address)) // right ones don't count
	}
	_, err := d.Logins.Login(t.Context(), address, "", "Ada", app.NewSecret("wrong"))
	accesstest.WantCode(t, "a password", err, app.CodeUnauthorized)
	_, err = d.logInWith(a.get(d.passkeyOptions()), address)
	accesstest.WantCode(t, "one too many", err, app.CodeRateLimited)
	accesstest.Must[auth.Opened](t)(d.logInWith(a.get(d.passkeyOptions()), "192.0.2.67"))
}

func TestPasskeyConfirmsItsOwnPersonOnly(t *testing.T) {
	d := founded(t)
	ctx := t.Context()
	cookie := d.LogIn("Ada")
	ada := d.SessionOf(cookie)
	token, _, err := d.Invitations.Create(ctx, ada.Actor, app.RoleOwner)
	if err != nil {
		t.Fatal(err)
	}
	own, others := d.addPasskey(ada, "mine"), d.addPasskey(d.SessionOf(d.JoinAs(token, "Bob")), "his")
	d.Pass(5 * time.Minute)
	accesstest.WantCode(t, "another person's", d.Passkeys.Confirm(ctx, ada, here, others.get(d.passkeyOptions())),
		app.CodeUnauthorized)
	if d.SessionOf(cookie).IsFresh(d.Now()) {
		t.Error("fresh after another person's passkey")
	}
	if err := d.Passkeys.Confirm(ctx, ada, here, own.get(d.passkeyOptions())); err != nil {
		t.Fatal(err)
	}
	if !d.SessionOf(cookie).IsFresh(d.Now()) {
		t.Error("not fresh after one's own")
	}
	accesstest.WantCode(t, "the same answer again", d.Passkeys.Confirm(ctx, ada, here, own.lastSent),
		app.CodeUnauthorized)
}

func TestPasskeyIsAuditedByItsPerson(t *testing.T) {
	d := founded(t)
	ada := d.SessionOf(d.LogIn("Ada"))
	d.addPasskey(ada, "laptop")
	list := accesstest.Must[[]app.Passkey](t)(d.Passkeys.List(t.Context(), ada.PersonID))
	id := auth.PasskeyID(list[0])
	accesstest.WantCode(t, "no name", d.Passkeys.Rename(t.Context(), ada, id, " "), app.CodeInvalidField)
	accesstest.WantCode(t, "none such", d.Passkeys.Rename(t.Context(), ada, "AAAA", "key"), app.CodeNotFound)
	if err := d.Passkeys.Rename(t.Context(), ada, id, "old laptop"); err != nil {
		t.Fatal(err)
	}
	if err := d.Passkeys.Remove(t.Context(), ada, id); err != nil {
		t.Fatal(err)
	}
	events := accesstest.Must[[]app.Event](t)(d.Audit.Latest(t.Context(), 3))
	for i, want := range []string{"passkey.delete Ada Removed the passkey old laptop.",
		"passkey.rename Ada Renamed the passkey laptop to old laptop.",
		"passkey.create Ada Added the passkey laptop for airlock.example.com."} {
		e := events[i]
		if got := e.Action + " " + e.Subject + " " + e.Detail; got != want || e.Actor.Name != "Ada" ||
			e.Actor.Address != accesstest.Browser {
			t.Errorf("event %+v, want %s", e, want)
		}
	}
}
