package uix

import "github.com/labstack/echo/v4"

// PagePolicy admits what pages consist of and nothing else: no inline script, no inline style, no
// other origin.
const PagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// PageHeaders sets the headers of every answer under /ui. AnswerError sets them of those that come before
// it, such as a form from another site.
func PageHeaders(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		setPageHeaders(c)
		return next(c)
	}
}

// setPageHeaders must not set the referrer policy to no-referrer: browsers then send "Origin: null"
// with a page's own forms, which over plain HTTP is all that tells them from another site's.
func setPageHeaders(c echo.Context) {
	h := c.Response().Header()
	h.Set("Content-Security-Policy", PagePolicy)
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()")
	h.Set("Vary", "HX-Request-Type")
	if c.Scheme() != "https" {
		h.Del("Cross-Origin-Opener-Policy") // browsers ignore it over plain HTTP, with a warning on every page
	}
}
