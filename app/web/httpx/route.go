package httpx

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// Route is one method and path, and what answers it.
type Route struct {
	Method string
	Path   string
	Handle echo.HandlerFunc
}

// Get is a route of GET.
func Get(path string, handle echo.HandlerFunc) Route { return Route{http.MethodGet, path, handle} }

// Post is a route of POST.
func Post(path string, handle echo.HandlerFunc) Route { return Route{http.MethodPost, path, handle} }

// Delete is a route of DELETE.
func Delete(path string, handle echo.HandlerFunc) Route {
	return Route{http.MethodDelete, path, handle}
}

// Redirect answers with 303 to another path.
func Redirect(to string) echo.HandlerFunc {
	return func(c echo.Context) error { return c.Redirect(http.StatusSeeOther, to) }
}
