package profiles

import (
	"net/url"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

// places lists the backends and images that a person may choose for a profile; what is chosen
// already is among them even if it's gone.
func (h Handlers) places(chosen app.Placement) (backends, images []string) {
	for _, b := range h.Engine.Health().Backends {
		backends = append(backends, b.Name)
		for name := range b.Images {
			images = append(images, name)
		}
	}
	if chosen.Backend != "" && !slices.Contains(backends, chosen.Backend) {
		backends = append(backends, chosen.Backend)
	}
	if chosen.Image != "" {
		images = append(images, chosen.Image)
	}
	slices.Sort(images)
	return backends, slices.Compact(images)
}

func (h Handlers) placeProfile(c echo.Context, p app.Profile, fields url.Values) (err error) {
	chosen := app.Placement{Backend: fields.Get("backend"), MinTier: fields.Get("min_tier"), Image: fields.Get("image")}
	backends, images := h.places(p.Placement)
	switch {
	case chosen.Backend != "" && !slices.Contains(backends, chosen.Backend):
		err = app.Invalid("backend", "there is no such backend here", "Choose one of the list.")
	case chosen.Image != "" && !slices.Contains(images, chosen.Image):
		err = app.Invalid("image", "there is no such image here", "Choose one of the list.")
	default:
		_, err = h.Access.Placements.Set(c.Request().Context(), uix.Actor(c), p.Handle, chosen)
	}
	if err != nil {
		return h.refuseProfile(c, p.Handle, err, map[string]string{
			"backend": "backend", "min_tier": "min_tier", "image": "image",
		})
	}
	return h.Done(c, "placed", paths.ProfileURL(p.Handle))
}
