package credentials

import (
	"context"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// Registry is what people do with credentials.
type Registry struct {
	store   *store.Store
	keyring *secrets.Keyring
	hub     *live.Hub
	now     func() time.Time
	values  *Values
	vault   *Vault
}

// List lists all by name.
func (s *Registry) List(ctx context.Context) (list []app.Credential, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		list, err = tx.Credentials.List(ctx)
		return err
	})
	return list, err
}

// ByName finds one by name.
func (s *Registry) ByName(ctx context.Context, name string) (c app.Credential, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		c, err = tx.Credentials.ByName(ctx, name)
		return err
	})
	return c, err
}

// Set creates or changes a credential. People only. A value becomes a new version, for later
// executions of every profile.
func (s *Registry) Set(ctx context.Context, by app.Actor, in Input) (app.Credential, error) {
	return s.setCredential(ctx, by, in, false)
}

// Create is Set, but refuses an existing name with CodeConflict.
func (s *Registry) Create(ctx context.Context, by app.Actor, in Input) (app.Credential, error) {
	return s.setCredential(ctx, by, in, true)
}

func (s *Registry) setCredential(ctx context.Context, by app.Actor, in Input, create bool) (app.Credential, error) {
	if err := by.PeopleOnly(); err != nil {
		return app.Credential{}, err
	}
	if err := checkInput(&in); err != nil {
		return app.Credential{}, err
	}
	if err := s.checkSource(&in); err != nil {
		return app.Credential{}, err
	}
	var c app.Credential
	var handles []string
	err := s.store.Write(ctx, func(tx *store.Tx) (err error) {
		before, err := tx.Credentials.ByName(ctx, in.Name)
		switch {
		case err == nil && create:
			return app.E(app.CodeConflict, fmt.Sprintf("there is already a credential named %s", in.Name),
				"Choose another name, or change that credential.")
		case app.CodeOf(err) == app.CodeNotFound:
			before, err = s.insertCredential(ctx, tx, by, in)
		case err == nil && !in.Seen.IsZero() && !in.Seen.Equal(before.UpdatedAt):
			return app.E(app.CodeConflict, "the credential was changed after you looked at it",
				"Look at it as it is now; nothing of what you sent was saved.")
		}
		if err != nil {
			return err
		}
		if c, err = s.applyInput(ctx, tx, by, before, in); err != nil {
			return err
		}
		handles, err = tx.Credentials.Profiles(ctx, c.ID)
		return err
	})
	if err != nil {
		return app.Credential{}, err
	}
	s.hub.Publish(live.Credentials)
	s.hub.PublishProfiles(handles...)
	return c, nil
}

func (s *Registry) insertCredential(ctx context.Context, tx *store.Tx, by app.Actor, in Input) (app.Credential, error) {
	c := app.Credential{
		ID: app.NewID(), Name: in.Name, Places: []app.Place{app.PlaceHeader}, Source: app.SourceLocal,
		CreatedAt: s.now(), UpdatedAt: s.now(),
	}
	in.onto(&c)
	switch {
	case c.Mode == "" && len(c.Hosts) > 0:
		c.Mode = app.ModeSealed
	case c.Mode == "":
		return app.Credential{},
			app.Invalid("mode", "a new credential needs the hosts that its value may go to, or a mode",
				"Name its hosts, such as api.example.com: then scripts get a placeholder only (sealed). "+
					"Choose injected only if scripts must have the value itself, and plain if it is not secret.")
	}
	if in.Reference != "" {
		c.Source, c.Reference = app.SourceVault, in.Reference
	}
	if err := checkMode(c); err != nil {
		return app.Credential{}, err
	}
	if err := tx.Credentials.Insert(ctx, c); err != nil {
		return app.Credential{}, err
	}
	return c, tx.Audit(ctx, app.NewEvent(s.now(), by, "credential.create", c.Name, createDetail(c)))
}

// Delete removes a credential with all versions of its value. People only. Keys of unlocked
// profiles lose their link. CodeInUse while a key of a locked, usable profile is linked.
func (s *Registry) Delete(ctx context.Context, by app.Actor, name string) error {
	if err := by.PeopleOnly(); err != nil {
		return err
	}
	var handles []string
	err := s.store.Write(ctx, func(tx *store.Tx) error {
		c, err := tx.Credentials.ByName(ctx, name)
		if err != nil {
			return err
		}
		if handles, err = tx.Credentials.Profiles(ctx, c.ID); err != nil {
			return err
		}
		if err := s.checkUnused(ctx, tx, name, handles); err != nil {
			return err
		}
		if err := tx.Credentials.TouchProfiles(ctx, c.ID, s.now()); err != nil {
			return err
		}
		if err := tx.Credentials.Delete(ctx, c.ID); err != nil {
			return err
		}
		return tx.Audit(ctx, app.NewEvent(s.now(), by, "credential.delete", name,
			"Deleted with all versions of its value."))
	})
	if err != nil {
		return err
	}
	s.hub.Publish(live.Credentials)
	s.hub.PublishProfiles(handles...)
	return nil
}

func (s *Registry) checkUnused(ctx context.Context, tx *store.Tx, name string, handles []string) error {
	users := 0
	for _, handle := range handles {
		p, err := tx.Profiles.ByHandle(ctx, handle)
		if err != nil {
			return err
		}
		if p.State(s.now()) == app.StateLocked {
			users++
		}
	}
	if users > 0 {
		return app.E(app.CodeInUse, inUse(users, name),
			"Revoke or delete those profiles first; the credential's page lists them.")
	}
	return nil
}

func inUse(users int, name string) string {
	if users == 1 {
		return "a locked profile uses the credential " + name
	}
	return fmt.Sprintf("%d locked profiles use the credential %s", users, name)
}
