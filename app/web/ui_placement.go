package web

import (
	"context"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/paths"
)

// places lists the backends and images that a person may choose for a profile; what is chosen already is among them even if it's gone.
func (s *Server) places(chosen app.Placement) (backends, images []string) {
	for _, b := range s.cfg.Engine.Health().Backends {
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

func (s *Server) placeProfile(c echo.Context) error {
	fields, err := form(c)
	if err != nil {
		return err
	}
	p, err := s.pathProfileByHandle(c)
	if err != nil {
		return err
	}
	chosen := app.Placement{Backend: fields.Get("backend"), MinTier: fields.Get("min_tier"), Image: fields.Get("image")}
	backends, images := s.places(p.Placement)
	switch {
	case chosen.Backend != "" && !slices.Contains(backends, chosen.Backend):
		err = app.Invalid("backend", "there is no such backend here", "Choose one of the list.")
	case chosen.Image != "" && !slices.Contains(images, chosen.Image):
		err = app.Invalid("image", "there is no such image here", "Choose one of the list.")
	default:
		_, err = s.cfg.Access.SetPlacement(c.Request().Context(), actorOf(c), p.Handle, chosen)
	}
	if err != nil {
		return s.refuseProfile(c, p.Handle, err, map[string]string{"backend": "backend", "min_tier": "min_tier", "image": "image"})
	}
	return s.done(c, "placed", paths.ProfileURL(p.Handle))
}

// proveSandbox takes the proof of every backend again, as the person asks for it.
func (s *Server) proveSandbox(c echo.Context) error {
	ctx := c.Request().Context()
	if err := s.cfg.Engine.Prove(ctx, ""); err != nil && ctx.Err() == nil {
		return err
	}
	// Whoever left meanwhile has had a proof taken all the same.
	if err := s.cfg.Access.Note(context.WithoutCancel(ctx), actorOf(c), "sandbox.prove", "sandbox", "Had the proofs of every backend taken again."); err != nil {
		return err
	}
	return s.done(c, "proved", paths.Sandbox)
}
