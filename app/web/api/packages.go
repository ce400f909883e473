package api

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

type packagesView struct {
	Runtimes []runtimeView `json:"runtimes"`
}

type runtimeView struct {
	Backend  string        `json:"backend"`
	Image    string        `json:"image,omitempty" about:"absent: the backend's default"`
	Default  bool          `json:"default" about:"used unless a profile requires another"`
	Python   string        `json:"python,omitempty"`
	Packages []packageView `json:"packages" null:"true" about:"null until such a box has opened"`
}

type packageView struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// packages answers GET /packages: what scripts can import.
func (h *Handlers) packages(c echo.Context) error {
	view := packagesView{Runtimes: []runtimeView{}}
	for _, i := range h.Engine.Sandboxes.Packages() {
		r := runtimeView{Backend: i.Backend, Image: i.Image, Default: i.Default, Python: i.Python}
		if i.Packages != nil {
			r.Packages = make([]packageView, len(i.Packages))
		}
		for n, p := range i.Packages {
			r.Packages[n] = packageView(p)
		}
		view.Runtimes = append(view.Runtimes, r)
	}
	return c.JSON(http.StatusOK, view)
}

// importable lists the default runtime's packages with versions.
func (h *Handlers) importable() (list []string) {
	for _, i := range h.Engine.Sandboxes.Packages() {
		if !i.Default {
			continue
		}
		for _, p := range i.Packages {
			list = append(list, p.Name+" "+p.Version)
		}
	}
	return list
}
