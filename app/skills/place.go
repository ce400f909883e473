package skills

import (
	"fmt"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/app/skills/bundle"
)

// Place returns the placement of a version: its profile's, with its own image if the operator
// offers images. Otherwise the image is only noted, and MissingNeeds tells what it lacks.
// CodeSandboxUnavailable if the image isn't offered or isn't the profile's.
func (s *Service) Place(v Version, p app.Placement) (app.Placement, error) {
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

// MissingNeeds returns a version's needs that the boxes of a placement lack. Limits and an image
// come first in words, then sorted names of modules and of distributions. Without known box
// contents there are no names.
func (s *Service) MissingNeeds(v Version, p app.Placement) []string {
	var all []string
	if t, limit := v.Manifest.Timeout, s.cfg.TimeoutMax; t > limit && limit > 0 {
		all = append(all, fmt.Sprintf("%s of run time (runs are ended after %s)", t, limit))
	}
	if _, err := s.Place(v, p); err != nil {
		all = append(all, "the image "+app.VisibleText(app.Clip(v.Manifest.Image, 100)))
	}
	names, _ := s.missingNeeds(v, p)
	return append(all, names...)
}

func (s *Service) missingNeeds(v Version, p app.Placement) (names []string, have sandbox.Installed) {
	p, err := s.Place(v, p)
	if err != nil || s.cfg.Sandboxes == nil { // it doesn't run there, or nobody knows
		return nil, have
	}
	have, known := s.cfg.Sandboxes.InstalledFor(p)
	if !known {
		return nil, have
	}
	return compareNeeds(v.Manifest.Needs, have), have
}

// compareNeeds compares needs with the contents of boxes. A module of a distribution's name counts
// as that distribution.
func compareNeeds(needs bundle.Needs, have sandbox.Installed) (names []string) {
	for _, module := range needs.Modules {
		if !have.HasModule(module) {
			names = append(names, module)
		}
	}
	distributions := map[string]bool{}
	for _, p := range have.Packages {
		distributions[bundle.NormalName(p.Name)] = true
	}
	for _, name := range needs.Packages {
		if !distributions[name] && !have.HasModule(strings.ReplaceAll(name, "-", "_")) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// CheckPackages refuses to run a version whose packages are missing: CodePackageMissing.
func (s *Service) CheckPackages(v Version, p app.Placement) error {
	names, have := s.missingNeeds(v, p)
	if len(names) == 0 {
		return nil
	}
	return aboutSkill(app.E(app.CodePackageMissing, fmt.Sprintf("the skill %s@%d was not run: the sandbox %s lacks %s",
		v.Name, v.Number, have.Label(), app.VisibleText(app.Clip(strings.Join(names, ", "), 500))),
		"Ask the operator to install that, or upload a version that imports what GET /packages lists. "+
			"Indented imports don't count."))
}
