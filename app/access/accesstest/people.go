package accesstest

import (
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/auth"
)

// What people of the tests log in with.
const (
	Browser      = "192.0.2.9" // their address
	GoodPassword = "plum orbit tractor"
)

// ShowToken enrolls with a token and returns the cookie.
func (d *Desk) ShowToken(token app.Secret) app.Secret {
	d.T.Helper()
	opened := Must[auth.Opened](d.T)(d.Enrollment.Enroll(d.T.Context(), Browser, "Mozilla", token))
	if want := d.Now().Add(30 * time.Minute); !opened.Expires.Equal(want) {
		d.T.Errorf("it expires at %v, want %v", opened.Expires, want)
	}
	return opened.Token
}

// JoinAs makes a person with GoodPassword out of a token.
func (d *Desk) JoinAs(token app.Secret, name string) app.Secret {
	d.T.Helper()
	return Must[auth.Opened](d.T)(
		d.Enrollment.Join(d.T.Context(), d.ShowToken(token), Browser, "Mozilla", name,
			app.NewSecret(GoodPassword))).Token
}

// LogIn logs a person in and returns the cookie.
func (d *Desk) LogIn(name string) app.Secret {
	d.T.Helper()
	opened := Must[auth.Opened](d.T)(d.Logins.Login(d.T.Context(), Browser, "Mozilla", name,
		app.NewSecret(GoodPassword)))
	if want := d.Now().Add(7 * 24 * time.Hour); !opened.Expires.Equal(want) {
		d.T.Errorf("the session expires at %v, want %v", opened.Expires, want)
	}
	return opened.Token
}

// SessionOf returns the session of a cookie.
func (d *Desk) SessionOf(cookie app.Secret) auth.Session {
	d.T.Helper()
	return Must[auth.Session](d.T)(d.Sessions.Touch(d.T.Context(), cookie, Browser))
}

// FirstToken returns the token of the first boot.
func (d *Desk) FirstToken() app.Secret {
	d.T.Helper()
	return Must[app.Secret](d.T)(d.AdminToken.Ensure(d.T.Context(), app.Secret{}))
}
