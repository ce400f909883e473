package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/computclaw/airlock/views/paths"
)

// Whoever comes first is asked for the token that the platform made, is told where it is, and gets
// nowhere without it.
func TestUIFirstVisit(t *testing.T) {
	t.Parallel()
	const where, why = "On Render the admin token is the value of AIRLOCK_ADMIN_TOKEN: your service's page, " +
		"Environment.",
		"The data directory /data isn't on a persistent volume."
	s := newUISiteWithoutPeople(t, func(c *Config) { c.Where = Where{Token: where, Losing: why} })
	s.get(paths.Welcome).leads(paths.Login) // which leads on by itself
	for _, path := range []string{paths.Root, paths.Credentials, paths.Settings} {
		s.get(path).leads(paths.LoginURL(path))
	}
	s.get(paths.Login).want(http.StatusOK).says("form", where).silent(why)
	s.post(paths.Login, "token", "atk_a-guess-of-the-first-visitor").want(http.StatusUnprocessableEntity).says("form",
		where)
	s.post(paths.Login, "name", uiName, "password", uiPassword).want(http.StatusUnprocessableEntity)
	s.firstPerson()
	if page := s.get(paths.Login).want(http.StatusOK); strings.Contains(page.text, "AIRLOCK_ADMIN_TOKEN") ||
		strings.Contains(page.text, why) {
		t.Error("strangers are told of the place after somebody is in")
	}
	s.login()
	s.get(paths.Root).want(http.StatusOK).says(".data-loss", why)
	for _, path := range []string{paths.Credentials, paths.Executions} { // one line there
		s.get(path).want(http.StatusOK).says(".data-loss", "Storage is temporary").silent(why)
	}
}
