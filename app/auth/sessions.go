package auth

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// Session lifetimes, how often use is stored, and how long a confirmation is fresh.
const (
	sessionIdle = 12 * time.Hour
	sessionLife = 7 * 24 * time.Hour
	sessionNote = time.Minute
	enrollLife  = 30 * time.Minute
	freshFor    = 5 * time.Minute
)

// Session is what a valid cookie stands for.
type Session struct {
	ID          string // not secret
	PersonID    string
	Actor       app.Actor // the person, at the address of this request
	Role        app.Role  // as it is now; no role for a session that wasn't read with its person
	ConfirmedAt time.Time // when they last showed who they are, by password or passkey
}

// IsFresh reports whether the person confirmed their identity within five minutes. Irreversible
// actions need this.
func (x Session) IsFresh(now time.Time) bool { return now.Sub(x.ConfirmedAt) < freshFor }

// Opened is a new session, for the cookie.
type Opened struct {
	Token   app.Secret
	Expires time.Time
}

// Sessions keeps the sessions of people and of enrolling token holders.
type Sessions struct {
	store *store.Store
	now   func() time.Time

	unnoted atomic.Pointer[time.Time] // when a use could last not be stored; nil if it always could
}

// Touch returns a cookie's session and extends its idle time, else CodeUnauthorized.
func (s *Sessions) Touch(ctx context.Context, cookie app.Secret, address string) (Session, error) {
	session, seenAt, err := s.findValid(ctx, cookie, address)
	if err != nil {
		return Session{}, err
	}
	if now := s.now(); now.Sub(seenAt) >= sessionNote && !s.takeUnnoted(now) {
		err := s.store.Write(ctx, func(tx *store.Tx) error { return tx.Sessions.See(ctx, session.ID, address, now) })
		switch app.CodeOf(err) {
		case app.CodeConflict: // it was ended meanwhile
			return Session{}, unauthorizedError()
		case app.CodeStorageFull, app.CodeStorageBusy:
			// Pages must not wait while a person frees disk space.
			s.unnoted.Store(&now)
		default:
			if err != nil {
				return Session{}, err
			}
		}
	}
	return session, nil
}

func (s *Sessions) takeUnnoted(now time.Time) bool {
	at := s.unnoted.Load()
	return at != nil && now.Sub(*at) < sessionNote && !now.Before(*at)
}

// Get is Touch without extending the idle time. It is for automatic requests of open tabs and
// second looks.
func (s *Sessions) Get(ctx context.Context, cookie app.Secret, address string) (Session, error) {
	session, _, err := s.findValid(ctx, cookie, address)
	return session, err
}

func (s *Sessions) findValid(ctx context.Context, cookie app.Secret, address string) (Session, time.Time, error) {
	found, err := s.find(ctx, cookie)
	if err == nil && found.PersonID == "" {
		err = unauthorizedError()
	}
	if err != nil {
		return Session{}, time.Time{}, err
	}
	var p store.Person
	err = s.store.Read(ctx, func(tx *store.Tx) (err error) {
		p, err = tx.People.ByID(ctx, found.PersonID)
		return err
	})
	if app.CodeOf(err) == app.CodeNotFound { // removed just now
		err = unauthorizedError()
	}
	if err != nil {
		return Session{}, time.Time{}, err
	}
	return Session{
		ID: found.ID, PersonID: found.PersonID, Role: p.Role, ConfirmedAt: found.ConfirmedAt,
		Actor: app.Actor{Kind: app.ActorPerson, Name: found.Person, Address: address},
	}, found.SeenAt, nil
}

// find returns a cookie's valid session, else CodeUnauthorized.
func (s *Sessions) find(ctx context.Context, cookie app.Secret) (found store.AdminSession, err error) {
	if cookie.Empty() {
		return found, unauthorizedError()
	}
	err = s.store.Read(ctx, func(tx *store.Tx) (err error) {
		found, err = tx.Sessions.ByToken(ctx, tokenDigest(cookie))
		return err
	})
	if app.CodeOf(err) == app.CodeNotFound {
		return found, unauthorizedError()
	}
	if err != nil {
		return found, err
	}
	if now := s.now(); !now.Before(found.ExpiresAt) || !now.Before(found.SeenAt.Add(sessionIdle)) {
		return found, unauthorizedError()
	}
	return found, nil
}

// open opens a session and removes those that are over.
func (s *Sessions) open(ctx context.Context, tx *store.Tx, record store.AdminSession, life time.Duration) (Opened,
	error) {
	token, now := app.NewSessionToken(), s.now()
	record.ID, record.Token, record.Agent = app.NewID(), tokenDigest(token), app.Clip(record.Agent, 200)
	record.CreatedAt, record.SeenAt, record.ExpiresAt = now, now, now.Add(life)
	if record.PersonID != "" {
		record.ConfirmedAt = now
	}
	if err := tx.Sessions.Prune(ctx, now, now.Add(-sessionIdle)); err != nil {
		return Opened{}, err
	}
	return Opened{token, record.ExpiresAt}, tx.Sessions.Insert(ctx, record)
}

// openFor opens a session for a person who has just typed their password.
func (s *Sessions) openFor(ctx context.Context, tx *store.Tx, by app.Actor, id, userAgent string) (Opened, error) {
	if err := tx.People.NoteLogin(ctx, id, by.Address, s.now()); err != nil {
		return Opened{}, err
	}
	return s.open(ctx, tx, store.AdminSession{Person: by.Name, PersonID: id, Address: by.Address, Agent: userAgent},
		sessionLife)
}

// Logout ends a session. An ended one is no error.
func (s *Sessions) Logout(ctx context.Context, cookie app.Secret, address string) error {
	return s.store.Write(ctx, func(tx *store.Tx) error {
		person, ok, err := tx.Sessions.Delete(ctx, tokenDigest(cookie))
		if err != nil || !ok || person == "" {
			return err
		}
		return tx.Audit(ctx, app.NewEvent(s.now(), app.Actor{Kind: app.ActorPerson, Name: person, Address: address},
			"session.logout", person, "Logged out."))
	})
}

// SessionInfo is one line of the list of sessions.
type SessionInfo struct {
	ID        string
	PersonID  string
	Person    string
	Address   string
	Browser   string
	CreatedAt time.Time
	SeenAt    time.Time
	ExpiresAt time.Time // at the latest
}

// List lists everybody's open sessions, the last used first. Times of use are accurate to a minute.
func (s *Sessions) List(ctx context.Context) (list []SessionInfo, err error) {
	now := s.now()
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		found, err := tx.Sessions.List(ctx, now, now.Add(-sessionIdle))
		for _, x := range found {
			list = append(list, SessionInfo{x.ID, x.PersonID, x.Person, x.Address, x.Agent, x.CreatedAt, x.SeenAt,
				x.ExpiresAt})
		}
		return err
	})
	return list, err
}

// End ends a session of the current person, or for owners anybody's. CodeNotFound if it is over, or
// not theirs. People only.
func (s *Sessions) End(ctx context.Context, current Session, id string) error {
	if err := current.Actor.PeopleOnly(); err != nil {
		return err
	}
	whose := current.PersonID
	if current.Role.Includes(app.RoleOwner) {
		whose = ""
	}
	return s.store.Write(ctx, func(tx *store.Tx) error {
		person, ok, err := tx.Sessions.DeleteByID(ctx, id, whose)
		if err != nil {
			return err
		}
		if !ok {
			return app.E(app.CodeNotFound, "this session is over already", "Reload the list.")
		}
		return tx.Audit(ctx, app.NewEvent(s.now(), current.Actor, "session.end", person, "Ended a session of "+person+"."))
	})
}

// EndOthers ends all sessions but the given one: everybody's, or its person's. It returns how many.
// People only; everybody's: owners only.
func (s *Sessions) EndOthers(ctx context.Context, current Session, everybody bool) (n int64, err error) {
	if err := current.Actor.PeopleOnly(); err != nil {
		return 0, err
	}
	if everybody && !current.Role.Includes(app.RoleOwner) {
		return 0, app.E(app.CodeForbidden, "only an owner ends other people's sessions", "End your own, or ask an owner.")
	}
	err = s.store.Write(ctx, func(tx *store.Tx) (err error) {
		whose := current.Actor.Name
		if everybody {
			whose = "everybody"
			n, err = tx.Sessions.DeleteOthers(ctx, current.ID)
		} else {
			n, err = tx.Sessions.DeleteOf(ctx, current.PersonID, current.ID)
		}
		if err != nil {
			return err
		}
		return tx.Audit(ctx, app.NewEvent(s.now(), current.Actor, "session.end", whose,
			fmt.Sprintf("Ended %d other sessions of %s.", n, whose)))
	})
	return n, err
}

// tokenDigest returns a token's stored form. Tokens have 160 random bits, so a plain hash suffices.
func tokenDigest(token app.Secret) []byte {
	sum := sha256.Sum256([]byte(token.Reveal()))
	return sum[:]
}

func unauthorizedError() error {
	return app.E(app.CodeUnauthorized, "you are not logged in",
		"Log in with your name and password; airlock admin token on the host of Airlock lets you choose new ones.")
}
