package skills

import (
	"fmt"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
)

// Place returns the placement under which a version runs, of that of its profile: with the image that
// it asks for, where the operator offers images. Where there are none the image is only noted; what it
// would have brought is told by Missing. Errors: CodeSandboxUnavailable for an image that is not
// offered, or not the one that the profile requires.
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
