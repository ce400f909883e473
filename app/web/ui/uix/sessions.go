package uix

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/auth"
	"github.com/computclaw/airlock/views/paths"
)

const (
	keySession = "airlock.session"
	keyRole    = "airlock.role" // that the request needs
)

// Require admits requests with a valid session and a person with the role.
//
// It reads the form before it checks: a slow form must not outlive its session. It reads nothing
// from strangers.
func (u *UI) Require(needed app.Role) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			c.Set(keyRole, needed)
			r := c.Request()
			look := u.Access.Sessions.Touch
			if automatic(c) {
				look = u.Access.Sessions.Get
			}
			if r.Method == http.MethodPost && !IsUpload(r) {
				if err := u.Check(c); err != nil {
					return err
				}
				if err := readBody(r); err != nil {
					return err
				}
			}
			session, err := look(r.Context(), SessionToken(c), c.RealIP())
			if err != nil {
				return err
			}
			c.Set(keySession, session)
			if !session.Role.Includes(needed) {
				return errRole(session.Role, needed)
			}
			return next(c)
		}
	}
}

func errRole(has, needed app.Role) error {
	hint := "Ask an owner of this Airlock; they change roles in Settings, People."
	if needed == "" {
		return app.E(app.CodeForbidden, "nobody may do this", hint)
	}
	return app.E(app.CodeForbidden,
		fmt.Sprintf("this is for the role %s or above, and yours is %s; nothing was done", needed, has), hint)
}

// automatic reports whether a page asks by itself after a change. People only use links, forms and
// fields.
func automatic(c echo.Context) bool {
	r := c.Request()
	element, _, _ := strings.Cut(r.Header.Get("HX-Source"), "#")
	return r.Method == http.MethodGet &&
		(r.URL.Path == paths.Events || Partial(c) && (element == "div" || element == "section"))
}

// Check returns nil while a request's session counts. CodeUnauthorized: it is over. CodeForbidden:
// its person lost the required role.
func (u *UI) Check(c echo.Context) error {
	session, err := u.Access.Sessions.Get(c.Request().Context(), SessionToken(c), c.RealIP())
	if err != nil {
		return err
	}
	needed, _ := c.Get(keyRole).(app.Role)
	if !session.Role.Includes(needed) {
		c.Set(keySession, session)
		return errRole(session.Role, needed)
	}
	return nil
}

// readBody keeps the body in memory. Its size is already limited.
func readBody(r *http.Request) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return errUnreadable(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}

// Heartbeat is how often a stream checks its session, and a transfer at most.
const Heartbeat = 20 * time.Second

// Reader reads while a request's session counts. It checks with the first piece a Heartbeat after
// the last check, and at the end. A stalled sender is not checked.
func (u *UI) Reader(c echo.Context, r io.Reader) io.Reader {
	return &sessionReader{Reader: r, ui: u, c: c, checked: u.Now()}
}

type sessionReader struct {
	io.Reader
	ui      *UI
	c       echo.Context
	checked time.Time
}

// Read implements io.Reader.
func (r *sessionReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if now := r.ui.Now(); errors.Is(err, io.EOF) || now.Sub(r.checked) >= Heartbeat {
		if over := r.ui.Check(r.c); over != nil {
			return 0, over
		}
		r.checked = now
	}
	return n, err
}

// SessionToken returns the session cookie's token or "".
func SessionToken(c echo.Context) app.Secret {
	k, err := c.Cookie(SessionCookie)
	if err != nil {
		return app.Secret{}
	}
	return app.NewSecret(k.Value)
}

// Session returns the session of a request that passed Require. Its ID is empty for others.
func Session(c echo.Context) auth.Session {
	session, _ := c.Get(keySession).(auth.Session)
	return session
}

// Actor returns the logged-in person; its kind is empty for none.
func Actor(c echo.Context) app.Actor { return Session(c).Actor }

// IsUpload reports whether only the handler limits a request's body.
func IsUpload(r *http.Request) bool {
	path := strings.TrimSuffix(r.URL.Path, "/")
	rerun := strings.HasPrefix(path, paths.Executions+"/") && strings.HasSuffix(path, "/rerun") &&
		strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/form-data")
	return r.Method == http.MethodPost && (path == paths.SettingsImport || path == paths.Skills || rerun)
}
