package skills

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/computclaw/airlock/store"
)

// Skill is a name with all its versions.
type Skill struct {
	Name     string
	Owner    string // handle of the profile whose agent took the name; "" if a person did
	Enabled  bool
	Profiles []string  // handles of those that may run it
	Versions []Version // newest first; at least one
}

// Newest returns the newest version in a state.
func (s Skill) Newest(state State) (Version, bool) {
	i := slices.IndexFunc(s.Versions, func(v Version) bool { return v.State == state })
	if i < 0 {
		return Version{}, false
	}
	return s.Versions[i], true
}

// List returns all skills by name, for people.
func (s *Service) List(ctx context.Context) (list []Skill, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		rows, err := tx.Skills.List(ctx)
		if err != nil {
			return err
		}
		for _, row := range rows {
			skill, err := read(ctx, tx, row)
			if err != nil {
				return err
			}
			list = append(list, skill)
		}
		return nil
	})
	return list, err
}

// Get returns a skill, for people. Errors: CodeNotFound.
func (s *Service) Get(ctx context.Context, name string) (skill Skill, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		row, err := findSkill(ctx, tx, name)
		if err != nil {
			return err
		}
		skill, err = read(ctx, tx, row)
		return err
	})
	return skill, err
}

// Runs are the executions of a version that are kept.
type Runs struct {
	Ended  int
	Failed int       // in an error or a timeout
	Last   time.Time // when the last one ended
}

// Runs returns the runs of a skill's versions by digest, for people. Versions without runs are left
// out. Errors: CodeNotFound.
func (s *Service) Runs(ctx context.Context, name string) (map[string]Runs, error) {
	runs := map[string]Runs{}
	err := s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		row, err := findSkill(ctx, tx, name)
		if err != nil {
			return err
		}
		stored, err := tx.Skills.Runs(ctx, row.Row)
		for digest, r := range stored {
			runs[digest] = Runs(r)
		}
		return err
	})
	return runs, err
}

func read(ctx context.Context, tx *store.Tx, row store.Skill) (Skill, error) {
	s := Skill{Name: row.Name, Owner: row.Owner, Enabled: row.Enabled}
	versions, err := tx.Skills.Versions(ctx, row.Row)
	if err != nil {
		return s, err
	}
	for _, v := range versions {
		if v.Blob == 0 {
			continue
		}
		one, err := version(v)
		if err != nil {
			return s, err
		}
		s.Versions = append(s.Versions, one)
	}
	s.Profiles, err = tx.Skills.Profiles(ctx, row.Row)
	return s, err
}

// ListKnown returns the skills that a profile's agent may know, by name, newest first. These are
// the newest approved version of each allowed skill, and every version that the agent uploaded.
func (s *Service) ListKnown(ctx context.Context, profileHandle string) (list []Version, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		allowed, err := tx.Skills.ListAllowed(ctx, profileHandle)
		if err != nil {
			return err
		}
		all, err := tx.Skills.AllVersions(ctx)
		if err != nil {
			return err
		}
		approved := map[int64]bool{} // skills whose newest approved version was met
		for _, v := range all {
			runs := State(v.State) == Approved && slices.Contains(allowed, v.Skill.Row) && !approved[v.Skill.Row]
			if runs {
				approved[v.Skill.Row] = true
			}
			if !runs && v.Uploader != profileHandle {
				continue
			}
			one, err := version(v)
			if err != nil {
				return err
			}
			one.Runs = runs && v.Skill.Enabled
			list = append(list, one)
		}
		return nil
	})
	return list, err
}

// ListNamed returns what ListKnown has of one skill. Errors: CodeSkillNotFound.
func (s *Service) ListNamed(ctx context.Context, profileHandle, name string) ([]Version, error) {
	list, err := s.ListKnown(ctx, profileHandle)
	list = slices.DeleteFunc(list, func(v Version) bool { return v.Name != name })
	if err == nil && len(list) == 0 {
		err = errNotFound(name)
	}
	return list, err
}

// Readable returns the version whose files a profile's agent reads with a reference. It is the
// newest that it uploaded or may run, else Resolve's. Errors: those of Resolve.
func (s *Service) Readable(ctx context.Context, profileHandle, ref string) (Version, error) {
	list, err := s.ListKnown(ctx, profileHandle)
	if err != nil {
		return Version{}, err
	}
	for _, v := range list {
		if slices.Contains([]string{v.Name, fmt.Sprintf("%s@%d", v.Name, v.Number), v.Name + "@" + v.Label, v.Digest}, ref) {
			return v, nil
		}
	}
	return s.Resolve(ctx, profileHandle, ref)
}

// ListWaiting returns the versions that wait for review, oldest first.
func (s *Service) ListWaiting(ctx context.Context) (list []Version, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		waiting, err := tx.Skills.ListWaiting(ctx)
		for _, v := range waiting {
			one, err := version(v)
			if err != nil {
				return err
			}
			list = append(list, one)
		}
		return err
	})
	return list, err
}
