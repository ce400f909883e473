package web

import (
	"bytes"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

// Cookies of the UI. They are sent under /ui only.
const (
	sessionCookie = "airlock_session"
	themeCookie   = "airlock_theme"
	noticeCookie  = "airlock_notice"
	keysCookie    = "airlock_keys"
	noticeAge     = time.Minute
)

// notices are what pages say after an action. The cookie carries only the name, so nobody can put words into a page.
func notices() map[string]string {
	return map[string]string{
		"credential-added":      "The credential was added.",
		"credential-changed":    "The credential was changed. Every profile sees it from its next execution on.",
		"credential-empty":      "The credential was saved without a value. Scripts that ask for it get none until somebody sets it here.",
		"credential-wide":       "The credential was saved. Its value has characters other than ASCII: Airlock can't put it into a header, except as user or password of Authorization: Basic.",
		"credential-weak":       "The credential was saved. Its value is short or easy to guess, so that redaction can't tell it from ordinary text: use a longer one if you can.",
		"credential-unresolved": "The credential was saved, but its reference does not resolve in Vault now: executions that need it fail. Its page says why.",
		"credential-deleted":    "The credential was deleted.",
		"pasted":                "What you chose was stored.",
		"nothing-pasted":        "There is nothing to decide about. What was pasted is forgotten after a quarter of an hour.",
		"paste-discarded":       "What was pasted was thrown away.",
		"profile-created":       "The profile was created. Choose its keys and hosts.",
		"profile-saved":         "Saved. Nothing is granted before you lock the profile.",
		"profile-locked":        "The profile is locked. Its agent can use it now.",
		"profile-revoked":       "The profile was revoked.",
		"profile-restored":      "The revocation was taken back. Its agent can use the profile again.",
		"profile-copied":        "This is the copy. It has an id of its own, and grants nothing before you lock it.",
		"profile-deleted":       "The profile was deleted. Its executions stay in the list.",
		"profile-renamed":       "The profile was renamed.",
		"hosts-added":           "The hosts were saved. They count from the next execution on.",
		"hosts-removed":         "It was taken away at once, also from what runs now.",
		"hosts-changed":         "The hosts were saved. What was added counts from the next execution on; what was taken away was taken at once, also from what runs now.",
		"hosts-dismissed":       "The request was dismissed. What scripts reach stays as it was.",
		"hosts-same":            "Nothing was changed.",
		"expiry-changed":        "The end was saved.",
		"placed":                "Where its scripts run was saved. It counts for executions from now on.",
		"proved":                "The proofs were taken again.",
		"verified":              "The whole chain was walked.",
		"rerun":                 "It was submitted again. This is the new execution.",
		"cancelled":             "The execution was cancelled.",
		"answered":              "The answer was sent to the script.",
		"session-ended":         "The session was ended.",
		"sessions-ended":        "The other sessions were ended.",
		"password-changed":      "Your password was changed, and your other sessions were ended.",
		"uninvited":             "The invitation was taken back.",
		"person-removed":        "Their access was taken away.",
		"paused":                "Executions are paused. What runs goes on; what is queued waits.",
		"resumed":               "Executions go on.",
		"session-over":          "Your session was over, so nothing was saved. Log in, then send the form again.",
		"again":                 "Nothing was done yet, since your password was asked for first. Do it again.",
		"keys":                  "Saved for this browser.",
		"retired":               "The instance is retired. It takes nothing from agents any more; what runs goes on to its end.",
		"unretired":             "The instance executes again.",
		"point-deleted":         "The restore point was deleted.",
		"backups-saved":         "The backups were saved.",
		"theme":                 "The theme was saved for this browser.",
	}
}

// shell is what surrounds the pages of a person with a session; it counts what needs them.
func (s *Server) shell(c echo.Context, title string, section layout.Section) (layout.Shell, []app.Profile, error) {
	profiles, err := s.cfg.Access.Profiles(c.Request().Context())
	if err != nil {
		return layout.Shell{}, nil, err
	}
	sh := s.bareShell(c, title)
	paused, err := s.cfg.Access.Paused(c.Request().Context())
	if err != nil {
		return layout.Shell{}, nil, err
	}
	needs, err := s.needs(c.Request().Context(), profiles)
	if err != nil {
		return layout.Shell{}, nil, err
	}
	sh.Disk = s.disk(c.Request().Context())
	sh.Paused = layout.Paused{Since: paused.Since, By: paused.By.Name}
	sh.Section, sh.NeedsYou = section, len(needs)
	notice := s.takeNotice(c)
	sh.Notice, sh.Warns = notices()[notice], warns(notice)
	return sh, profiles, nil
}

// bareShell asks nothing of the store, so that it also surrounds errors.
func (s *Server) bareShell(c echo.Context, title string) layout.Shell {
	theme := ""
	if k, err := c.Cookie(themeCookie); err == nil && (k.Value == "light" || k.Value == "dark") {
		theme = k.Value
	}
	keys, err := c.Cookie(keysCookie)
	return layout.Shell{Title: title, Theme: theme, Version: s.cfg.Version, Base: s.origins.BaseURL(c.Request()), Now: s.cfg.Now(), Person: actorOf(c).Name, DataLoss: s.cfg.Where.Losing, NoKeys: err == nil && keys.Value == "off"}
}

// render answers with a whole page, or for htmx with the parts that it asked for. A page that can't be rendered is an error, never half a page.
// Characters that nobody sees are shown as their numbers, wherever on the page and whoever wrote them.
func (s *Server) render(c echo.Context, status int, page templ.Component, parts ...any) error {
	var buf bytes.Buffer
	var err error
	if partial(c) && len(parts) > 0 && status < 400 {
		err = templ.RenderFragments(c.Request().Context(), &buf, page, parts...)
	} else {
		err = page.Render(c.Request().Context(), &buf)
	}
	if err != nil {
		return err
	}
	if status >= 400 {
		c.Response().Header().Set("HX-Push-Url", "false") // the address of a refused form is not a page
	}
	return c.HTMLBlob(status, app.Visible(buf.Bytes()))
}

// partial reports whether htmx asks for a part of a page.
func partial(c echo.Context) bool {
	h := c.Request().Header
	return h.Get("HX-Request") == "true" && h.Get("HX-Request-Type") == "partial" && h.Get("HX-Boosted") == ""
}

// done leads on after an action, with a notice for the next page.
func (s *Server) done(c echo.Context, notice, to string) error {
	if notice != "" {
		s.setCookie(c, noticeCookie, notice, noticeAge)
	}
	return c.Redirect(http.StatusSeeOther, to)
}

// takeNotice returns the name of the notice for this page, once; "" if there is none.
func (s *Server) takeNotice(c echo.Context) string {
	k, err := c.Cookie(noticeCookie)
	if err != nil || partial(c) {
		return ""
	}
	s.setCookie(c, noticeCookie, "", -time.Second)
	return k.Value
}

// warns reports whether a notice is of something that is not well, which a person should read before it goes.
func warns(notice string) bool {
	return slices.Contains([]string{"credential-empty", "credential-wide", "credential-weak", "credential-unresolved", "session-over", "again"}, notice)
}

// setCookie sets a cookie of the UI; a negative age removes it.
func (s *Server) setCookie(c echo.Context, name, value string, age time.Duration) {
	seconds := int(age.Seconds())
	if age < 0 {
		seconds = -1
	}
	c.SetCookie(&http.Cookie{
		Name: name, Value: value, Path: paths.Root, MaxAge: seconds, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: s.origins.OverTLS(c.Request()),
	})
}

// problems gives an error its place on a form: beside the field if fields knows it, else on top. What is not a person's to solve stays an error.
func problems(err error, fields map[string]string) (components.Problems, error) {
	known, ok := asAppError(err)
	if !ok || known.Code == app.CodeInternal || known.Code == app.CodeUnauthorized || known.Code == app.CodeForbidden || known.Code == app.CodeNotFound {
		return nil, err
	}
	return components.Problems{fields[known.Field]: told(known)}, nil
}

// told is an error as one or two sentences.
func told(e *app.Error) string {
	return strings.TrimSpace(sentence(e.Message) + " " + sentence(e.Hint))
}

// sentence begins with a capital letter and ends with a full stop, if it is one.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.ContainsAny(text[len(text)-1:], ".?") && strings.Contains(text, " ") {
		text += "."
	}
	return text
}

// form reads the body's fields. Browsers send line breaks as CR LF; values are kept as they were typed.
func form(c echo.Context) (url.Values, error) {
	err := c.Request().ParseForm()
	if kind, _, _ := mime.ParseMediaType(c.Request().Header.Get("Content-Type")); err == nil && kind == "multipart/form-data" {
		err = c.Request().ParseMultipartForm(app.MaxBody) // all of it fits, so nothing of it is written to a file
	}
	if err != nil {
		return nil, unreadable(err)
	}
	fields := c.Request().PostForm
	for name, values := range fields {
		for i, v := range values {
			fields[name][i] = strings.ReplaceAll(v, "\r\n", "\n")
		}
	}
	return fields, nil
}

// unreadable is why a form could not be read.
func unreadable(err error) error {
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) || errors.Is(err, httpx.ErrBodies) {
		return err
	}
	e := app.E(app.CodeInvalidField, "the form can't be read", "Go back, reload the page and send it again.")
	e.Cause = err
	return e
}
