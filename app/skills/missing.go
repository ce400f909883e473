package skills

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/app/skills/bundle"
	"github.com/computclaw/airlock/store"
)

// Missing returns a version's needs that the boxes of a placement lack. Limits and an image come
// first in words, then sorted names of modules and of distributions. Without known box contents
// there are no names.
func (s *Service) Missing(ctx context.Context, v Version, p app.Placement) ([]string, error) {
	all := s.exceeding(v)
	if _, err := s.placeImage(v, p); err != nil {
		all = append(all, "the image "+app.VisibleText(app.Clip(v.Manifest.Image, 100)))
	}
	names, _, err := s.missing(ctx, v, p)
	return append(all, names...), err
}

func (s *Service) missing(ctx context.Context, v Version, p app.Placement) ([]string, sandbox.Installed, error) {
	p, err := s.placeImage(v, p)
	if err != nil {
		return nil, sandbox.Installed{}, nil //nolint:nilerr // it doesn't run there
	}
	have, ok, err := s.installed(ctx, p)
	if err != nil || !ok {
		return nil, have, err
	}
	return lacking(v.Manifest.Needs, have), have, nil
}

// lacking compares needs with the contents of boxes. A module of a distribution's name counts as
// that distribution.
func lacking(needs bundle.Needs, have sandbox.Installed) (names []string) {
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
func (s *Service) CheckPackages(ctx context.Context, v Version, p app.Placement) error {
	names, have, err := s.missing(ctx, v, p)
	if err != nil || len(names) == 0 {
		return err
	}
	return aboutSkill(app.E(app.CodePackageMissing, fmt.Sprintf("the skill %s@%d was not run: the sandbox %s lacks %s",
		v.Name, v.Number, have.Label(), app.VisibleText(app.Clip(strings.Join(names, ", "), 500))),
		"Ask the operator to install that, or upload a version that imports what GET /packages lists. "+
			"Indented imports don't count."))
}

// settingInstalled has what boxes had when a server looked last, for programs beside it.
const settingInstalled = "skills.installed"

// NoteInstalled keeps what boxes have.
func (s *Service) NoteInstalled(ctx context.Context, list []sandbox.Installed) error {
	value, err := json.Marshal(list)
	if err != nil {
		return fmt.Errorf("skills: %w", err)
	}
	return s.cfg.Store.Write(ctx, func(tx *store.Tx) error {
		return tx.Settings.Set(ctx, s.cfg.Now(), store.Setting{Key: settingInstalled, Value: value})
	})
}

// installed returns what the boxes of a placement have; beside a server, those of its default.
func (s *Service) installed(ctx context.Context, p app.Placement) (have sandbox.Installed, ok bool, err error) {
	if s.cfg.Sandboxes != nil {
		have, ok = s.cfg.Sandboxes.InstalledFor(p)
		return have, ok, nil
	}
	var list []sandbox.Installed
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		kept, _, err := tx.Settings.Get(ctx, settingInstalled)
		if err != nil || kept.Value == nil {
			return err
		}
		return json.Unmarshal(kept.Value, &list)
	})
	i := slices.IndexFunc(list, func(one sandbox.Installed) bool { return one.Default && one.Modules != nil })
	if err != nil || i < 0 {
		return have, false, err
	}
	return list[i], true, nil
}
