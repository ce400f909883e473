package httpx

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// Route is a method and path with its handler.
type Route struct {
	Method string
	Path   string
	Handle echo.HandlerFunc
}

// Get is a route of GET.
func Get(path string, handle echo.HandlerFunc) Route {
	return Route{Method: http.MethodGet, Path: path, Handle: handle}
}

// Post is a route of POST.
func Post(path string, handle echo.HandlerFunc) Route {
	return Route{Method: http.MethodPost, Path: path, Handle: handle}
}

// Delete is a route of DELETE.
func Delete(path string, handle echo.HandlerFunc) Route {
	return Route{Method: http.MethodDelete, Path: path, Handle: handle}
}

// Redirect answers with 303 to another path.
func Redirect(to string) echo.HandlerFunc {
	return func(c echo.Context) error { return c.Redirect(http.StatusSeeOther, to) }
}
