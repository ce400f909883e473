package skills

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/computclaw/airlock/app"
)

// Place returns the placement of a version: its profile's, with its own image if the operator
// offers images. Otherwise the image is only noted, and Missing tells what it lacks.
// CodeSandboxUnavailable if the image isn't offered or isn't the profile's, or if boxes have less
// memory or processors.
func (s *Service) Place(v Version, p app.Placement) (app.Placement, error) {
	if over := s.excessNeeds(v); len(over) > 0 {
		return p, aboutSkill(app.E(app.CodeSandboxUnavailable,
			fmt.Sprintf("the skill %s@%d was not run: it needs %s", v.Name, v.Number, strings.Join(over, " and ")),
			"Upload a version that needs less, or ask the operator to raise the limit."))
	}
	return s.placeImage(v, p)
}

func (s *Service) placeImage(v Version, p app.Placement) (app.Placement, error) {
	image := v.Manifest.Image
	if image == "" || image == p.Image || s.cfg.Sandboxes == nil {
		return p, nil
	}
	offered := s.cfg.Sandboxes.ImagesFor(p)
	switch {
	case len(offered) == 0:
		return p, nil
	case p.Image == "" && slices.Contains(offered, image):
		p.Image = image
		return p, nil
	}
	allowed := "the operator allows " + strings.Join(offered, ", ")
	if p.Image != "" {
		allowed = "its profile requires " + p.Image
	}
	message := fmt.Sprintf("the skill %s@%d was not run: it asks for the image %s; %s", v.Name, v.Number,
		app.VisibleText(app.Clip(image, 100)), app.Clip(allowed, 500))
	return p, aboutSkill(app.E(app.CodeSandboxUnavailable, message,
		"Upload a version with another airlock.image or without one, or ask the operator to allow the image."))
}

func (s *Service) excessNeeds(v Version) (over []string) {
	if m, limit := v.Manifest.Memory, s.cfg.Limits.Memory; m > limit && limit > 0 {
		over = append(over, fmt.Sprintf("%s of memory (sandboxes have %s)", app.FormatSize(m), app.FormatSize(limit)))
	}
	if c, limit := v.Manifest.CPU, s.cfg.Limits.CPU; c > limit && limit > 0 {
		over = append(over, fmt.Sprintf("%s cores (sandboxes have %s)", cores(c), cores(limit)))
	}
	return over
}

func cores(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// exceeding returns a version's needs beyond the limits. Run time is only cut; other excess
// prevents the run.
func (s *Service) exceeding(v Version) []string {
	over := s.excessNeeds(v)
	if t, limit := v.Manifest.Timeout, s.cfg.TimeoutMax; t > limit && limit > 0 {
		over = append(over, fmt.Sprintf("%s of run time (runs are ended after %s)", t, limit))
	}
	return over
}
