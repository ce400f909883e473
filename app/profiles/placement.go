package profiles

import (
	"context"
	"regexp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/policy"
	"github.com/computclaw/airlock/store"
)

var (
	backendShape = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)
	imageShape   = regexp.MustCompile(`^[A-Za-z0-9/][A-Za-z0-9._:/@-]*$`)
)

// Placements says where the scripts of profiles may run.
type Placements struct {
	*editor
	versions *policy.Versions
}

// Set says where the profile's scripts may run. People only. After the lock it makes a new policy
// version, for later executions. The caller checks that the place exists; without it executions end
// in error.
func (s *Placements) Set(ctx context.Context, by app.Actor, handle string, place app.Placement) (app.Profile,
	error) {
	if err := by.PeopleOnly(); err != nil {
		return app.Profile{}, err
	}
	if err := checkPlacement(place); err != nil {
		return app.Profile{}, err
	}
	return s.change(ctx, by, handle, func(tx *store.Tx, p *store.Profile) (string, string, error) {
		if p.Revoked {
			return "", "", p.CanUse(s.now())
		}
		if p.Placement == place {
			return "", "", nil
		}
		p.Placement = place
		if p.Locked {
			if err := s.versions.WithPlacement(ctx, tx, by, p); err != nil {
				return "", "", err
			}
		}
		return "profile.placement", placementDetail(place), nil
	})
}

func checkPlacement(p app.Placement) error {
	switch {
	case len(p.Backend) > 32, p.Backend != "" && !backendShape.MatchString(p.Backend):
		return app.Invalid("backend", "that is not the name of a sandbox backend",
			"Names have small letters, digits and dashes, such as bubblewrap.")
	case p.MinTier != "" && p.MinTier != "restricted" && p.MinTier != "full":
		return app.Invalid("min_tier", "the least isolation is neither full nor restricted",
			"Choose full or restricted, or leave it open.")
	case len(p.Image) > 255, p.Image != "" && !imageShape.MatchString(p.Image):
		return app.Invalid("image", "that is not the name of an image", "Choose one of those that the operator listed.")
	}
	return nil
}

func placementDetail(p app.Placement) string {
	if p == (app.Placement{}) {
		return "Scripts may run in any sandbox of this instance."
	}
	return "Scripts run only " + p.String() + "."
}
