package access

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// How long sessions live, how often their use is written down, and how long a typed password counts as fresh.
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
	ConfirmedAt time.Time // when they last typed their password
}

// Fresh reports whether the password was typed within the last five minutes, as what can't be taken back asks for.
func (x Session) Fresh(now time.Time) bool { return now.Sub(x.ConfirmedAt) < freshFor }

// Opened is a new session, for the cookie.
type Opened struct {
	Token   app.Secret
	Expires time.Time
}

// Session returns what a cookie stands for and extends its idle time, else CodeUnauthorized.
func (s *Service) Session(ctx context.Context, cookie app.Secret, address string) (Session, error) {
	session, seenAt, err := s.standing(ctx, cookie, address)
	if err != nil {
		return Session{}, err
	}
	if now := s.now(); now.Sub(seenAt) >= sessionNote && !s.justUnnoted(now) {
		err := s.cfg.Store.Write(ctx, func(tx *store.Tx) error { return tx.SeeAdminSession(ctx, session.ID, address, now) })
		switch app.CodeOf(err) {
		case app.CodeConflict: // it was ended meanwhile
			return Session{}, unauthorized()
		case app.CodeStorageFull, app.CodeStorageBusy: // who makes room or looks for the cause must be able to read, and without waiting for each page
			s.unnoted.Store(&now)
		default:
			if err != nil {
				return Session{}, err
			}
		}
	}
	return session, nil
}

func (s *Service) justUnnoted(now time.Time) bool {
	at := s.unnoted.Load()
	return at != nil && now.Sub(*at) < sessionNote && !now.Before(*at)
}

// Standing is Session without a use: it doesn't extend the idle time. It is for what a forgotten browser tab asks for by itself, and for a second look.
func (s *Service) Standing(ctx context.Context, cookie app.Secret, address string) (Session, error) {
	session, _, err := s.standing(ctx, cookie, address)
	return session, err
}

func (s *Service) standing(ctx context.Context, cookie app.Secret, address string) (Session, time.Time, error) {
	found, err := s.findSession(ctx, cookie)
	if err == nil && found.PersonID == "" {
		err = unauthorized()
	}
	if err != nil {
		return Session{}, time.Time{}, err
	}
	return Session{
		ID: found.ID, PersonID: found.PersonID, ConfirmedAt: found.ConfirmedAt,
		Actor: app.Actor{Kind: app.ActorPerson, Name: found.Person, Address: address},
	}, found.SeenAt, nil
}

// findSession returns the session of a cookie if it is not over, else CodeUnauthorized.
func (s *Service) findSession(ctx context.Context, cookie app.Secret) (found store.AdminSession, err error) {
	if cookie.Empty() {
		return found, unauthorized()
	}
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		found, err = tx.AdminSession(ctx, tokenDigest(cookie))
		return err
	})
	if app.CodeOf(err) == app.CodeNotFound {
		return found, unauthorized()
	}
	if err != nil {
		return found, err
	}
	if now := s.now(); !now.Before(found.ExpiresAt) || !now.Before(found.SeenAt.Add(sessionIdle)) {
		return found, unauthorized()
	}
	return found, nil
}

// insertSession opens a session in a transaction and forgets those that are over.
func (s *Service) insertSession(ctx context.Context, tx *store.Tx, record store.AdminSession, life time.Duration) (Opened, error) {
	token, now := app.NewSessionToken(), s.now()
	record.ID, record.Token, record.Agent = app.NewID(), tokenDigest(token), app.Clip(record.Agent, 200)
	record.CreatedAt, record.SeenAt, record.ExpiresAt = now, now, now.Add(life)
	if record.PersonID != "" {
		record.ConfirmedAt = now
	}
	if err := tx.PruneAdminSessions(ctx, now, now.Add(-sessionIdle)); err != nil {
		return Opened{}, err
	}
	return Opened{token, record.ExpiresAt}, tx.InsertAdminSession(ctx, record)
}

// Logout ends a session, for somebody at the address. A session that is over already is no error.
func (s *Service) Logout(ctx context.Context, cookie app.Secret, address string) error {
	return s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		person, ok, err := tx.DeleteAdminSession(ctx, tokenDigest(cookie))
		if err != nil || !ok || person == "" {
			return err
		}
		return tx.Audit(ctx, s.event(app.Actor{Kind: app.ActorPerson, Name: person, Address: address}, "session.logout", person, "Logged out."))
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

// Sessions lists everybody's open sessions, the last used first. Their times of use are true to a minute.
func (s *Service) Sessions(ctx context.Context) (list []SessionInfo, err error) {
	now := s.now()
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		found, err := tx.AdminSessions(ctx, now, now.Add(-sessionIdle))
		for _, x := range found {
			list = append(list, SessionInfo{x.ID, x.PersonID, x.Person, x.Address, x.Agent, x.CreatedAt, x.SeenAt, x.ExpiresAt})
		}
		return err
	})
	return list, err
}

// EndSession ends one session, of anybody. One that is over already is CodeNotFound. People only.
func (s *Service) EndSession(ctx context.Context, by app.Actor, id string) error {
	if err := peopleOnly(by); err != nil {
		return err
	}
	return s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		person, ok, err := tx.DeleteAdminSessionByID(ctx, id)
		if err != nil {
			return err
		}
		if !ok {
			return app.E(app.CodeNotFound, "this session is over already", "Reload the list.")
		}
		return tx.Audit(ctx, s.event(by, "session.end", person, "Ended a session of "+person+"."))
	})
}

// EndOtherSessions ends all sessions but the given one: everybody's, or only those of its own person. It returns how many. People only.
func (s *Service) EndOtherSessions(ctx context.Context, current Session, everybody bool) (n int64, err error) {
	if err := peopleOnly(current.Actor); err != nil {
		return 0, err
	}
	err = s.cfg.Store.Write(ctx, func(tx *store.Tx) (err error) {
		whose := current.Actor.Name
		if everybody {
			whose = "everybody"
			n, err = tx.DeleteOtherAdminSessions(ctx, current.ID)
		} else {
			n, err = tx.DeleteAdminSessionsOf(ctx, current.PersonID, current.ID)
		}
		if err != nil {
			return err
		}
		return tx.Audit(ctx, s.event(current.Actor, "session.end", whose, fmt.Sprintf("Ended %d other sessions of %s.", n, whose)))
	})
	return n, err
}

// tokenDigest is what is stored of a token that this program made: it has 160 random bits, so a plain hash is enough.
func tokenDigest(token app.Secret) []byte {
	sum := sha256.Sum256([]byte(token.Reveal()))
	return sum[:]
}

func unauthorized() error {
	return app.E(app.CodeUnauthorized, "you are not logged in", "Log in with your name and password; airlock admin token on the host of Airlock lets you choose new ones.")
}
