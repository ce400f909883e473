package skills

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/files"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/app/skills/bundle"
	"github.com/computclaw/airlock/store"
)

// State is what a version can be used for.
type State string

// The states. A version that a person rejects is revoked without having been approved.
const (
	Quarantined State = "quarantined" // nobody has decided about it yet
	Approved    State = "approved"
	Revoked     State = "revoked"
)

// Version is one upload of a skill.
type Version struct {
	Name        string
	Number      int    // from 1; those of deleted versions are not used again
	Label       string // airlock.version: the author's; "" if there is none
	Digest      string // of the files
	State       State
	Description string
	Manifest    bundle.Manifest
	Size        int64 // bytes of all files
	Files       int
	Uploaded    time.Time
	By          app.Actor // who uploaded it
	ApprovedBy  app.Actor
	Approved    time.Time // zero: never
	RevokedBy   app.Actor
	Revoked     time.Time // zero: never
	Reason      string    // of the revocation
	Enabled     bool      // the skill is switched on
	Runs        bool      // of ListKnown: what the profile gets by the name alone
	Kept        bool      // its files are there; false once the skill was deleted
}

// Config is what New needs. Zero numbers mean their defaults.
type Config struct {
	Store *store.Store
	Files *files.Files
	Hub   *live.Hub        // nil: changes are not announced
	Now   func() time.Time // nil: time.Now
	Quota int64            // bytes of versions that a profile's agents may keep; default DefaultQuota

	// Sandboxes know what boxes have; nil: nothing is missing.
	Sandboxes *sandbox.Manager
	// TimeoutMax is that of executions. Missing compares a version's timeout with it.
	TimeoutMax time.Duration
	// Patterns finds what looks like a secret, for Scan; nil: nothing does.
	Patterns func(text string) []redact.Match
}

// DefaultQuota is Config's, in bytes.
const DefaultQuota = 256 << 20

const maxUnreviewed = 20

// Service keeps skills. It is safe for concurrent use.
type Service struct {
	cfg     Config
	scanned *lru.Cache[string, bundle.Facts] // by digest; nobody writes to them
}

// maxScanned is how many facts are remembered. They take seconds to collect, and less than 1 MiB.
const maxScanned = 64

// New returns a Service.
func New(cfg Config) *Service {
	if cfg.Hub == nil {
		cfg.Hub = &live.Hub{}
	}
	if cfg.Quota == 0 {
		cfg.Quota = DefaultQuota
	}
	now := cfg.Now
	if now == nil {
		now = time.Now
	}
	// The store keeps milliseconds: what a change returns equals what is read later.
	cfg.Now = func() time.Time { return now().UTC().Truncate(time.Millisecond) }
	scanned, err := lru.New[string, bundle.Facts](maxScanned)
	if err != nil {
		panic("skills: " + err.Error()) // only a size that isn't positive is an error
	}
	return &Service{cfg, scanned}
}

// Upload keeps a skill's files as a new, quarantined version. Known files return their version and
// change nothing. After approval an agent's profile may run its skill. Errors: CodeSkillNameTaken
// if an agent's name isn't its profile's, CodeTooLarge beyond the quota, CodeConflict for too many
// versions in review, CodeNotFound, CodeProfileRevoked and CodeProfileExpired of the profile,
// CodeStorageFull.
func (s *Service) Upload(ctx context.Context, by app.Actor, b bundle.Bundle) (Version, error) {
	known, found, err := s.find(ctx, by, b)
	if err != nil || found {
		return known, err
	}
	blob, err := s.keep(ctx, b)
	if err != nil {
		return Version{}, err
	}
	var v store.SkillVersion
	err = s.cfg.Store.Write(ctx, func(tx *store.Tx) (err error) {
		v, err = s.add(ctx, tx, by, b, blob)
		return err
	})
	if err != nil {
		return Version{}, err
	}
	s.cfg.Hub.Publish(live.Skills)
	return version(v)
}

// Scan returns what a reviewer should know of a bundle, and remembers it.
func (s *Service) Scan(b bundle.Bundle) bundle.Facts {
	digest := b.Digest()
	facts, ok := s.scanned.Get(digest)
	if !ok {
		facts = b.Scan(s.cfg.Patterns)
		s.scanned.Add(digest, facts)
	}
	return facts
}

// Scanned returns what Scan remembers of a version; ok is false for nothing.
func (s *Service) Scanned(digest string) (facts bundle.Facts, ok bool) { return s.scanned.Get(digest) }

// find returns the version with a bundle's files, and refuses what can't be added.
func (s *Service) find(ctx context.Context, by app.Actor, b bundle.Bundle) (v Version, found bool, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		if err := s.checkUploader(ctx, tx, by, b.Manifest.Name); err != nil {
			return err
		}
		kept, err := tx.Skills.ByDigest(ctx, b.Digest())
		if err == nil {
			found = true
			v, err = version(kept)
			return err
		}
		if app.CodeOf(err) != app.CodeNotFound {
			return err
		}
		return s.fits(ctx, tx, by, b)
	})
	return v, found, err
}

// keep puts the files into the storage.
func (s *Service) keep(ctx context.Context, b bundle.Bundle) (store.Blob, error) {
	spool, err := s.cfg.Files.NewSpool()
	if err != nil {
		return store.Blob{}, err
	}
	defer spool.Close()
	if err := b.Pack(spool); err != nil {
		return store.Blob{}, err
	}
	if err := spool.Finish(); err != nil {
		return store.Blob{}, err
	}
	return s.cfg.Files.Keep(ctx, spool)
}

// add adds the version, and the skill if it is the first. It checks all again, because of
// concurrent uploads.
func (s *Service) add(ctx context.Context, tx *store.Tx, by app.Actor, b bundle.Bundle,
	blob store.Blob) (v store.SkillVersion, err error) {
	if err := s.checkUploader(ctx, tx, by, b.Manifest.Name); err != nil {
		return v, err
	}
	if v, err = tx.Skills.ByDigest(ctx, b.Digest()); app.CodeOf(err) != app.CodeNotFound {
		return v, err
	}
	if err := s.fits(ctx, tx, by, b); err != nil {
		return v, err
	}
	skill, err := s.take(ctx, tx, by, b.Manifest.Name)
	if err != nil {
		return v, err
	}
	b.Manifest.Needs = b.Needs()
	manifest, err := json.Marshal(b.Manifest)
	if err != nil {
		return v, fmt.Errorf("skills: %w", err)
	}
	v, err = tx.Skills.AddVersion(ctx, store.SkillVersion{
		Skill: skill, Digest: b.Digest(), Manifest: string(manifest), Size: b.Size(), Files: len(b.Files),
		Uploader: uploader(by), UploadedBy: by, UploadedAt: s.cfg.Now(), State: string(Quarantined), Blob: blob.ID,
	})
	if err != nil {
		return v, err
	}
	return v, tx.Audit(ctx, app.NewEvent(s.cfg.Now(), by, "skill.upload", subject(v),
		fmt.Sprintf("Uploaded %d files with %s, digest %s. It waits for review.", v.Files, app.FormatSize(v.Size), v.Digest)))
}

// take returns the skill of a name. One that is new or was deleted becomes the uploader's.
func (s *Service) take(ctx context.Context, tx *store.Tx, by app.Actor, name string) (store.Skill, error) {
	skill, err := tx.Skills.ByName(ctx, name)
	switch {
	case app.CodeOf(err) == app.CodeNotFound:
		skill, err = tx.Skills.Add(ctx, store.Skill{Name: name, Owner: uploader(by), Enabled: true, CreatedAt: s.cfg.Now()})
	case err == nil && !skill.DeletedAt.IsZero():
		skill.Owner, skill.Enabled, skill.DeletedAt = uploader(by), true, time.Time{}
		err = tx.Skills.Update(ctx, skill)
	default:
		return skill, err
	}
	if err != nil || skill.Owner == "" {
		return skill, err
	}
	_, err = tx.Skills.Allow(ctx, skill.Row, skill.Owner, by, s.cfg.Now())
	return skill, err
}

// checkUploader refuses an agent whose profile ended, and one that uses another's skill name.
func (s *Service) checkUploader(ctx context.Context, tx *store.Tx, by app.Actor, name string) error {
	if by.Kind != app.ActorAgent {
		return nil
	}
	p, err := tx.Profiles.ByHandle(ctx, by.Name)
	if err != nil {
		return err
	}
	if err := p.CanExecute(s.cfg.Now()); err != nil { // a stranger can make a profile that isn't locked
		return err
	}
	skill, err := tx.Skills.ByName(ctx, name)
	switch {
	case app.CodeOf(err) == app.CodeNotFound:
		return nil
	case err != nil:
		return err
	case !skill.DeletedAt.IsZero() || skill.Owner == by.Name:
		return nil
	}
	e := app.E(app.CodeSkillNameTaken, fmt.Sprintf("SKILL.md: the name %s belongs to another skill here", name),
		"Give the skill another name, or ask the person who runs Airlock to upload the version.")
	e.Field = "name"
	return e
}

// fits refuses more than an agent's profile may keep.
func (s *Service) fits(ctx context.Context, tx *store.Tx, by app.Actor, b bundle.Bundle) error {
	if by.Kind != app.ActorAgent {
		return nil
	}
	stored, unreviewed, err := tx.Skills.CountStored(ctx, by.Name)
	switch {
	case err != nil:
		return err
	case stored+b.Size() > s.cfg.Quota:
		return app.E(app.CodeTooLarge, fmt.Sprintf("the profile keeps %s of skills, and its quota is %s",
			app.ApproxSize(stored), app.FormatSize(s.cfg.Quota)),
			"Leave data out of skills, or ask the person who runs Airlock to delete skills that are not needed.")
	case unreviewed >= maxUnreviewed:
		return app.E(app.CodeConflict, fmt.Sprintf("%d versions of this profile's skills wait for review", unreviewed),
			"Ask the person who runs Airlock to review them first.")
	}
	return nil
}

// uploader is the handle of an agent's profile; "" for people.
func uploader(by app.Actor) string {
	if by.Kind == app.ActorAgent {
		return by.Name
	}
	return ""
}

func subject(v store.SkillVersion) string { return fmt.Sprintf("%s@%d", v.Skill.Name, v.Number) }

func version(v store.SkillVersion) (Version, error) {
	var m bundle.Manifest
	if err := json.Unmarshal([]byte(v.Manifest), &m); err != nil {
		return Version{}, fmt.Errorf("skills: the manifest of %s can't be read: %w", subject(v), err)
	}
	return Version{
		Name: v.Skill.Name, Number: v.Number, Label: m.Version, Digest: v.Digest, State: State(v.State),
		Description: m.Description, Manifest: m, Size: v.Size, Files: v.Files, Uploaded: v.UploadedAt, By: v.UploadedBy,
		ApprovedBy: v.ApprovedBy, Approved: v.ApprovedAt, RevokedBy: v.RevokedBy, Revoked: v.RevokedAt, Reason: v.Reason,
		Enabled: v.Skill.Enabled, Kept: v.Blob != 0,
	}, nil
}
