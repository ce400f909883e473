package auth

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// Passkeys registers passkeys and lets people in with them. An authenticator must verify its user,
// by PIN or biometrics. So a passkey alone equals a password.
type Passkeys struct {
	store      *store.Store
	now        func() time.Time
	sessions   *Sessions
	attempts   *limiter // by origin, with those of passwords
	confirms   *limiter // by person, likewise
	refusals   refusals
	challenges *challenges
}

// Purposes of challenges.
func loginPurpose(rp app.RelyingParty) string { return "login at " + rp.ID }

func registerPurpose(rp app.RelyingParty, current Session) string {
	return "register at " + rp.ID + " in session " + current.ID
}

// LoginOptions returns JSON for a browser to log in or confirm with a passkey. Its challenge counts
// once, for five minutes.
func (s *Passkeys) LoginOptions(rp app.RelyingParty) ([]byte, error) {
	party, err := party(rp)
	if err != nil {
		return nil, err
	}
	options, _, err := party.BeginDiscoverableLogin(
		webauthn.WithChallenge(s.challenges.issue(loginPurpose(rp), s.now())))
	if err != nil {
		return nil, fmt.Errorf("auth: options of a login: %w", err)
	}
	return json.Marshal(options)
}

// RegistrationOptions returns JSON for a browser to make a passkey. Its challenge counts in this
// session, once, for five minutes.
func (s *Passkeys) RegistrationOptions(ctx context.Context, current Session, rp app.RelyingParty) ([]byte, error) {
	party, err := party(rp)
	if err != nil {
		return nil, err
	}
	var p store.Person
	err = s.store.Read(ctx, func(tx *store.Tx) (err error) {
		p, err = tx.People.ByID(ctx, current.PersonID)
		return err
	})
	if err != nil {
		return nil, err
	}
	user := passkeyUser{p, rp}
	options, _, err := party.BeginRegistration(user,
		webauthn.WithCredentialParameters(webauthn.CredentialParametersRecommendedL3()),
		webauthn.WithExclusions(webauthn.Credentials(user.WebAuthnCredentials()).CredentialDescriptors()),
		func(o *protocol.PublicKeyCredentialCreationOptions) error {
			o.Challenge = s.challenges.issue(registerPurpose(rp, current), s.now())
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("auth: options of a registration: %w", err)
	}
	return json.Marshal(options)
}

// Register adds a passkey to the session's person. response is the browser's answer to
// RegistrationOptions. CodeInvalidField is about "name", or "passkey" for an unacceptable response.
// People only.
func (s *Passkeys) Register(
	ctx context.Context, current Session, rp app.RelyingParty, name string, response []byte,
) error {
	if err := current.Actor.PeopleOnly(); err != nil {
		return err
	}
	name, err := app.CheckPasskeyName(name)
	if err != nil {
		return err
	}
	party, err := party(rp)
	if err != nil {
		return err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(response)
	if err != nil {
		return unacceptable(err)
	}
	challenge := parsed.Response.CollectedClientData.Challenge
	if !s.challenges.spend(registerPurpose(rp, current), challenge, s.now()) {
		return unacceptable(errChallenge)
	}
	return s.store.Write(ctx, func(tx *store.Tx) error {
		p, err := tx.People.ByID(ctx, current.PersonID)
		if app.CodeOf(err) == app.CodeNotFound { // removed meanwhile
			return unauthorizedError()
		} else if err != nil {
			return err
		}
		made, err := party.CreateCredential(passkeyUser{p, rp}, webauthn.SessionData{
			Challenge: challenge, RelyingPartyID: rp.ID, UserID: []byte(p.ID),
			UserVerification: protocol.VerificationRequired, CredParams: webauthn.CredentialParametersRecommendedL3(),
		}, parsed)
		if err != nil {
			return unacceptable(err)
		}
		passkeys := append(p.Passkeys, app.Passkey{
			ID: made.ID, Name: name, Host: rp.ID, PublicKey: made.PublicKey, SignCount: made.Authenticator.SignCount,
			BackupEligible: made.Flags.BackupEligible, CreatedAt: s.now(),
		})
		if err := app.CheckPasskeys(passkeys); err != nil {
			return err
		}
		if err := tx.People.SetPasskeys(ctx, p.ID, passkeys); err != nil {
			return err
		}
		return tx.Audit(ctx, app.NewEvent(s.now(), current.Actor, "passkey.create", p.Name,
			fmt.Sprintf("Added the passkey %s for %s.", name, rp.ID)))
	})
}

// Login opens a session for the person whose passkey signed. response is the browser's answer to
// LoginOptions. Attempts share the limits of passwords. All refusals are the same CodeUnauthorized,
// or CodeRateLimited.
func (s *Passkeys) Login(
	ctx context.Context, rp app.RelyingParty, address, userAgent string, response []byte,
) (opened Opened, err error) {
	if !s.attempts.begin(Origin(address), s.now()) {
		return opened, tooMany()
	}
	somebody := app.Actor{Kind: app.ActorPerson, Address: address}
	err = s.use(ctx, rp, somebody, response, func(tx *store.Tx, p store.Person, k app.Passkey) (err error) {
		by := app.Actor{Kind: app.ActorPerson, Name: p.Name, Address: address}
		if opened, err = s.sessions.openFor(ctx, tx, by, p.ID, userAgent); err != nil {
			return err
		}
		return tx.Audit(ctx, app.NewEvent(s.now(), by, "session.login", p.Name, "Logged in with the passkey "+k.Name+"."))
	})
	if err == nil {
		s.attempts.refund(Origin(address))
	}
	return opened, err
}

// Confirm makes the session fresh if a passkey of its person signed. Attempts are limited as in
// Logins.Confirm. A refusal is CodeUnauthorized.
func (s *Passkeys) Confirm(ctx context.Context, current Session, rp app.RelyingParty, response []byte) error {
	if !s.confirms.begin(current.PersonID, s.now()) {
		return tooMany()
	}
	err := s.use(ctx, rp, current.Actor, response, func(tx *store.Tx, p store.Person, k app.Passkey) error {
		if p.ID != current.PersonID {
			return errOtherPerson
		}
		if err := tx.Sessions.Confirm(ctx, current.ID, s.now()); err != nil {
			return err
		}
		return tx.Audit(ctx, app.NewEvent(s.now(), current.Actor, "session.confirm", p.Name,
			"Confirmed with the passkey "+k.Name+"."))
	})
	if err == nil {
		s.confirms.refund(current.PersonID)
	}
	return err
}

// use verifies a response to LoginOptions. In the same transaction it notes the use and opens what
// the passkey opens. A refusal is audited with by.
func (s *Passkeys) use(ctx context.Context, rp app.RelyingParty, by app.Actor, response []byte,
	do func(*store.Tx, store.Person, app.Passkey) error,
) error {
	party, err := party(rp)
	if err != nil {
		return err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(response)
	if err != nil {
		return s.refuse(ctx, by, "", err)
	}
	challenge := parsed.Response.CollectedClientData.Challenge
	if !s.challenges.spend(loginPurpose(rp), challenge, s.now()) {
		return s.refuse(ctx, by, "", errChallenge)
	}
	var refused error
	name := ""
	err = s.store.Write(ctx, func(tx *store.Tx) error {
		refused = nil
		p, err := tx.People.ByID(ctx, string(parsed.Response.UserHandle))
		if app.CodeOf(err) == app.CodeNotFound {
			refused = errUnknownPasskey
			return refused
		} else if err != nil {
			return err
		}
		name = p.Name
		k, err := verifyAssertion(party, passkeyUser{p, rp}, challenge, parsed)
		if err != nil {
			refused = err
			return err
		}
		k.UsedAt = s.now()
		at := slices.IndexFunc(p.Passkeys, func(x app.Passkey) bool { return bytes.Equal(x.ID, k.ID) })
		p.Passkeys[at] = k
		if err := tx.People.SetPasskeys(ctx, p.ID, p.Passkeys); err != nil {
			return err
		}
		err = do(tx, p, k)
		if errors.Is(err, errOtherPerson) {
			refused = err
		}
		return err
	})
	if refused != nil {
		return s.refuse(ctx, by, name, refused)
	}
	return err
}

// Reasons to refuse a passkey, for the audit log.
var (
	errChallenge      = errors.New("its challenge was not ours, was used before or is too old")
	errUnknownPasskey = errors.New("nobody here has it")
	errOtherPerson    = errors.New("it is another person's")
	errCopied         = errors.New("its counter went back, so it may have been copied")
)

// refuse audits a refusal. It tells only the reasons above: others quote strangers.
func (s *Passkeys) refuse(ctx context.Context, by app.Actor, subject string, reason error) error {
	why := "it did not verify"
	for _, known := range []error{errChallenge, errUnknownPasskey, errOtherPerson, errCopied} {
		if errors.Is(reason, known) {
			why = known.Error()
		}
	}
	if subject == "" {
		subject = "login"
	}
	return s.refusals.record(ctx, by, subject, "Refused a passkey: "+why+".")
}

// verifyAssertion checks the signature, host, origin, counter, and that the user was verified.
func verifyAssertion(party *webauthn.WebAuthn, user passkeyUser, challenge string,
	parsed *protocol.ParsedCredentialAssertionData,
) (app.Passkey, error) {
	at := slices.IndexFunc(user.Passkeys, func(k app.Passkey) bool {
		return bytes.Equal(k.ID, parsed.RawID) && k.Host == user.rp.ID
	})
	if at < 0 {
		return app.Passkey{}, errUnknownPasskey
	}
	find := func(_, _ []byte) (webauthn.User, error) { return user, nil }
	used, err := party.ValidateDiscoverableLogin(find, webauthn.SessionData{
		Challenge: challenge, RelyingPartyID: user.rp.ID, UserVerification: protocol.VerificationRequired,
	}, parsed)
	if err != nil {
		return app.Passkey{}, err
	}
	if used.Authenticator.CloneWarning {
		return app.Passkey{}, errCopied
	}
	k := user.Passkeys[at]
	k.SignCount = used.Authenticator.SignCount
	return k, nil
}

// List lists a person's passkeys, oldest first.
func (s *Passkeys) List(ctx context.Context, personID string) (list []app.Passkey, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		p, err := tx.People.ByID(ctx, personID)
		list = p.Passkeys
		return err
	})
	return list, err
}

// Remove removes a passkey of the session's person. id is base64url. Errors: CodeNotFound. People
// only.
func (s *Passkeys) Remove(ctx context.Context, current Session, id string) error {
	return s.change(ctx, current, id, func(list []app.Passkey, at int) ([]app.Passkey, string, string) {
		name := list[at].Name
		return slices.Delete(list, at, at+1), "passkey.delete", "Removed the passkey " + name + "."
	})
}

// Rename renames a passkey of the session's person. id is base64url. Errors: CodeNotFound,
// CodeInvalidField. People only.
func (s *Passkeys) Rename(ctx context.Context, current Session, id, name string) error {
	name, err := app.CheckPasskeyName(name)
	if err != nil {
		return err
	}
	return s.change(ctx, current, id, func(list []app.Passkey, at int) ([]app.Passkey, string, string) {
		old := list[at].Name
		list[at].Name = name
		return list, "passkey.rename", "Renamed the passkey " + old + " to " + name + "."
	})
}

// change changes one passkey of the session's person and audits it. apply gets all their passkeys
// and its index.
func (s *Passkeys) change(ctx context.Context, current Session, id string,
	apply func(list []app.Passkey, at int) (changed []app.Passkey, action, detail string)) error {
	if err := current.Actor.PeopleOnly(); err != nil {
		return err
	}
	return s.store.Write(ctx, func(tx *store.Tx) error {
		p, err := tx.People.ByID(ctx, current.PersonID)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(p.Passkeys, func(k app.Passkey) bool { return PasskeyID(k) == id })
		if at < 0 {
			return app.E(app.CodeNotFound, "this passkey was removed already", "Reload the list.")
		}
		list, action, detail := apply(p.Passkeys, at)
		if err := app.CheckPasskeys(list); err != nil {
			return err
		}
		if err := tx.People.SetPasskeys(ctx, p.ID, list); err != nil {
			return err
		}
		return tx.Audit(ctx, app.NewEvent(s.now(), current.Actor, action, p.Name, detail))
	})
}

// RemoveAll removes a named person's passkeys and ends their sessions. A passkey may have opened
// those. It returns the number of passkeys. People only.
func (s *Passkeys) RemoveAll(ctx context.Context, by app.Actor, name string) (n int, err error) {
	if err := by.PeopleOnly(); err != nil {
		return 0, err
	}
	err = s.store.Write(ctx, func(tx *store.Tx) error {
		p, err := tx.People.ByName(ctx, app.FoldName(name))
		if err != nil {
			return err
		}
		if n = len(p.Passkeys); n == 0 {
			return nil
		}
		if err := tx.People.SetPasskeys(ctx, p.ID, nil); err != nil {
			return err
		}
		if _, err := tx.Sessions.DeleteOf(ctx, p.ID, ""); err != nil {
			return err
		}
		return tx.Audit(ctx, app.NewEvent(s.now(), by, "passkey.delete", p.Name,
			fmt.Sprintf("Removed all %d passkeys of %s; their sessions ended.", n, p.Name)))
	})
	return n, err
}

// PasskeyID returns a passkey's ID as used in addresses.
func PasskeyID(k app.Passkey) string { return base64.RawURLEncoding.EncodeToString(k.ID) }

// party is Airlock as WebAuthn's relying party at one address.
func party(rp app.RelyingParty) (*webauthn.WebAuthn, error) {
	w, err := webauthn.New(&webauthn.Config{
		RPID: rp.ID, RPDisplayName: "Airlock", RPOrigins: []string{rp.Origin},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(),
			UserVerification: protocol.VerificationRequired,
		},
		// Some password managers report unrequested properties. Airlock uses none.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
	if err != nil {
		return nil, fmt.Errorf("auth: passkeys at %s: %w", rp.ID, err)
	}
	return w, nil
}

// passkeyUser adapts a person and their passkeys for one address to the library.
type passkeyUser struct {
	store.Person
	rp app.RelyingParty
}

// WebAuthnID implements webauthn.User.
func (u passkeyUser) WebAuthnID() []byte { return []byte(u.ID) }

// WebAuthnName implements webauthn.User.
func (u passkeyUser) WebAuthnName() string { return u.Name }

// WebAuthnDisplayName implements webauthn.User.
func (u passkeyUser) WebAuthnDisplayName() string { return u.Name }

// WebAuthnCredentials implements webauthn.User.
func (u passkeyUser) WebAuthnCredentials() []webauthn.Credential {
	var list []webauthn.Credential
	for _, k := range u.Passkeys {
		if k.Host == u.rp.ID {
			list = append(list, webauthn.Credential{
				ID: k.ID, PublicKey: k.PublicKey, Authenticator: webauthn.Authenticator{SignCount: k.SignCount},
				Flags: webauthn.CredentialFlags{UserPresent: true, UserVerified: true, BackupEligible: k.BackupEligible},
			})
		}
	}
	return list
}

// unacceptable refuses a response to RegistrationOptions.
func unacceptable(cause error) error {
	e := app.Invalid("passkey", "the browser's passkey can't be accepted",
		"Reload the page and try again. The device must ask for its PIN, a fingerprint or your face.")
	e.Cause = cause
	return e
}
