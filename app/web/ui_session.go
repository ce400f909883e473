package web

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/views/paths"
)

// noteSession is where the session of a request is kept.
const noteSession = "airlock.session"

// withSession lets a request pass that carries a valid session. A form is read to its end before: one that is sent slowly must not act for a session that was ended meanwhile.
func (s *Server) withSession(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		look := s.cfg.Access.Session
		if unasked(c) {
			look = s.cfg.Access.Standing
		}
		if r.Method == http.MethodPost && !isUpload(r) {
			if err := s.stillIn(c); err != nil { // of strangers nothing is read
				return err
			}
			if err := readBody(r); err != nil {
				return err
			}
		}
		session, err := look(r.Context(), cookieOf(c), c.RealIP())
		if err != nil {
			return err
		}
		c.Set(noteSession, session)
		return next(c)
	}
}

// unasked reports whether a page asks by itself, because something changed: nobody need be there. Of what asks, only people use links, forms and fields.
func unasked(c echo.Context) bool {
	r := c.Request()
	element, _, _ := strings.Cut(r.Header.Get("HX-Source"), "#")
	return r.Method == http.MethodGet && (r.URL.Path == paths.Events || partial(c) && (element == "div" || element == "section"))
}

// stillIn returns nil while the session of a request counts, and CodeUnauthorized when it is over.
func (s *Server) stillIn(c echo.Context) error {
	_, err := s.cfg.Access.Standing(c.Request().Context(), cookieOf(c), c.RealIP())
	return err
}

// readBody keeps the whole body in memory; limitBody has bounded it.
func readBody(r *http.Request) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return unreadable(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}

// smallForm bounds the forms that strangers may send: what is read of thousands of fields takes much more room than it took to send them.
func smallForm(next echo.HandlerFunc) echo.HandlerFunc {
	const limit = 16 << 10
	return func(c echo.Context) error {
		r := c.Request()
		r.Body = http.MaxBytesReader(c.Response(), r.Body, limit)
		return next(c)
	}
}

// whileIn reads on while the session of a request counts. It looks every few seconds, and at the end.
type whileIn struct {
	io.Reader
	s      *Server
	c      echo.Context
	looked time.Time
}

func (r *whileIn) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if now := r.s.cfg.Now(); errors.Is(err, io.EOF) || now.Sub(r.looked) >= heartbeat {
		if over := r.s.stillIn(r.c); over != nil {
			return 0, over
		}
		r.looked = now
	}
	return n, err
}

func cookieOf(c echo.Context) app.Secret {
	k, err := c.Cookie(sessionCookie)
	if err != nil {
		return app.Secret{}
	}
	return app.NewSecret(k.Value)
}

// sessionOf is the session of somebody who is logged in; its ID is empty where nobody is.
func sessionOf(c echo.Context) access.Session {
	session, _ := c.Get(noteSession).(access.Session)
	return session
}

// actorOf is the person who is logged in; its kind is empty where nobody is.
func actorOf(c echo.Context) app.Actor { return sessionOf(c).Actor }
