package uix

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/views/paths"
)

// RequireFresh requires a recent confirmation by password or passkey (auth.Session.IsFresh).
// Otherwise it asks for one and leads back to the page. After a form, a notice says that nothing
// was done.
//
// Put it before disclosures and irreversible actions, and before their forms' pages.
func (u *UI) RequireFresh(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if Session(c).IsFresh(u.Now()) {
			return next(c)
		}
		r := c.Request()
		if r.Method == http.MethodGet && !Partial(c) {
			return c.Redirect(http.StatusSeeOther, paths.ConfirmURL(LocalPage(r.URL.RequestURI())))
		}
		u.setNotice(c, "again")
		to := paths.ConfirmURL(CameFrom(r))
		if Partial(c) {
			c.Response().Header().Set("HX-Redirect", to)
			return c.NoContent(http.StatusForbidden)
		}
		return c.Redirect(http.StatusSeeOther, to)
	}
}

// askLogin leads to the login and back. htmx gets a header, or it would put the login into a part
// of the page.
func (u *UI) askLogin(c echo.Context) {
	r := c.Request()
	next, fromHTMX := CameFrom(r), r.Header.Get("HX-Request") == "true"
	switch {
	case r.Method == http.MethodGet && !Partial(c) && r.URL.Path != paths.Events:
		next = r.URL.RequestURI()
	case r.Method == http.MethodPost && fromHTMX:
		_ = c.NoContent(http.StatusUnauthorized) // the page keeps what was typed
		return
	case r.Method == http.MethodPost && r.URL.Path != paths.Welcome:
		u.setNotice(c, "session-over")
	}
	to := paths.LoginURL(LocalPage(next))
	if fromHTMX {
		c.Response().Header().Set("HX-Redirect", to)
		_ = c.NoContent(http.StatusUnauthorized)
		return
	}
	_ = c.Redirect(http.StatusSeeOther, to)
}

// CameFrom returns the page that sent a form, else the overview.
func CameFrom(r *http.Request) string {
	for _, from := range []string{r.Header.Get("HX-Current-URL"), r.Referer()} {
		if u, err := url.Parse(from); err == nil && from != "" {
			return LocalPage(u.RequestURI())
		}
	}
	return paths.Root
}

// LocalPage returns next if it is a page of this UI, else the overview. A login must not lead
// elsewhere.
func LocalPage(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || u.User != nil || strings.ContainsAny(next, "\\\r\n\t") ||
		strings.Contains(u.Path, "//") || strings.Contains(u.Path, "..") {
		return paths.Root
	}
	inUI := u.Path == paths.Root || strings.HasPrefix(u.Path, paths.Root+"/")
	asksIdentity := slices.Contains([]string{paths.Login, paths.Token, paths.Welcome, paths.Confirm}, u.Path)
	if !inUI || asksIdentity {
		return paths.Root
	}
	return u.RequestURI()
}
