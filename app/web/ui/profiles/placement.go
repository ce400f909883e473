package profiles

import (
	"net/url"
	"slices"

	"github.com/computclaw/airlock/app"
)

// places lists the backends, images and templates to choose from. It includes a present choice that
// is gone.
func (h Handlers) places(chosen app.Placement) (backends, images []string, templates bool) {
	templates = chosen.Fresh
	for _, b := range h.Engine.Health().Backends {
		backends, templates = append(backends, b.Name), templates || b.Report.Templates
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
	return backends, slices.Compact(images), templates
}

// choosePlacement reads where scripts may run.
func (h Handlers) choosePlacement(p app.Profile, fields url.Values) (app.Placement, error) {
	chosen := app.Placement{Backend: fields.Get("backend"), MinTier: fields.Get("min_tier"), Image: fields.Get("image"),
		Fresh: fields.Get("fresh") != ""}
	backends, images, _ := h.places(p.Placement)
	switch {
	case chosen.Backend != "" && !slices.Contains(backends, chosen.Backend):
		return chosen, app.Invalid("backend", "there is no such backend here", "Choose one from the list.")
	case chosen.Image != "" && !slices.Contains(images, chosen.Image):
		return chosen, app.Invalid("image", "there is no such image here", "Choose one from the list.")
	}
	return chosen, nil
}
