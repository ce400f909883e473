package uix

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/views/paths"
)

// Cookies of the UI, sent under /ui only.
const (
	SessionCookie = "airlock_session"
	ThemeCookie   = "airlock_theme"
	KeysCookie    = "airlock_keys"
	noticeCookie  = "airlock_notice"
	noticeAge     = time.Minute
)

// SetCookie sets a UI cookie; a negative age removes it.
func (u *UI) SetCookie(c echo.Context, name, value string, age time.Duration) {
	seconds := int(age.Seconds())
	if age < 0 {
		seconds = -1
	}
	c.SetCookie(&http.Cookie{
		Name: name, Value: value, Path: paths.Root, MaxAge: seconds, HttpOnly: true,
		SameSite: http.SameSiteLaxMode, Secure: u.Origins.OverTLS(c.Request()),
	})
}

func (u *UI) setNotice(c echo.Context, name string) { u.SetCookie(c, noticeCookie, name, noticeAge) }

// TakeNotice returns this page's notice once, and whether it warns; "" for none.
func (u *UI) TakeNotice(c echo.Context) (text string, warns bool) {
	k, err := c.Cookie(noticeCookie)
	if err != nil || Partial(c) {
		return "", false
	}
	u.SetCookie(c, noticeCookie, "", -time.Second)
	return Notice(k.Value)
}
