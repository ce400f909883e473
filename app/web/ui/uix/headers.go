package uix

import "github.com/labstack/echo/v4"

// PagePolicy admits only the parts of pages: no inline script, no inline style, no other origin.
const PagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// PageHeaders sets the headers of every answer under /ui. AnswerError sets them for earlier
// refusals, such as cross-site forms.
func PageHeaders(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		setPageHeaders(c)
		return next(c)
	}
}

// setPageHeaders must not set the referrer policy to no-referrer. Browsers would send "Origin:
// null" with own forms, and over plain HTTP only Origin tells those from another site's.
func setPageHeaders(c echo.Context) {
	h := c.Response().Header()
	h.Set("Content-Security-Policy", PagePolicy)
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()")
	h.Set("Vary", "HX-Request-Type")
	if c.Scheme() != "https" {
		h.Del("Cross-Origin-Opener-Policy") // over plain HTTP browsers ignore it with a warning
	}
}
