package skillview

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/app/skills/bundle"
	"github.com/computclaw/airlock/views/code"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
)

// ListPage lists skills.
type ListPage struct {
	layout.Shell
	Skills   []ListRow
	Problems components.Problems // of an upload
}

// ListRow is a skill with the names of profiles that may run it.
type ListRow struct {
	skills.Skill
	Allowed []string
}

// SkillPage is a skill with one version.
type SkillPage struct {
	layout.Shell
	Skill    skills.Skill
	Version  skills.Version
	Last     int // number of another last approved version, else 0
	Content  Content
	Runs     map[string]skills.Runs // that are kept, by digest
	Allowed  []app.Profile          // that may run it
	Others   []components.Choice    // those that may not
	Problems components.Problems
	Reason   string // as typed, after it was refused
}

// Content is a version's content with masked secrets.
type Content struct {
	Hidden      bool // Vault's values are unread, so what to mask is unknown
	Version     skills.Version
	Description string
	// Instructions is SKILL.md as HTML of package markdown; "" if too long.
	Instructions string
	Files        []File
	Facts        []bundle.Fact
	Missing      []string // packages that its profiles' boxes lack
	Changes      []Change // against the last approved version
}

// File is a file of a version.
type File struct {
	Path       string
	Size       int64
	Executable bool
	Main       bool // the entrypoint
	Python     bool
	Text       string
	Masked     bool   // a part of its text or path is hidden
	Missing    string // why there is no text: NoText, TooLong; "" if there is
}

// Why a file is named only.
const (
	NoText  = "Not text"
	TooLong = "Too long for this page"
)

// lines returns a file's lines as shown.
func (f File) lines() [][]code.Part {
	if f.Python {
		return code.Python(f.Text)
	}
	return code.Plain(f.Text)
}

// words say what sets a file apart.
func (f File) words() string {
	var all []string
	if f.Main {
		all = append(all, "Runs first")
	}
	if f.Executable {
		all = append(all, "executable")
	}
	if f.Missing != "" {
		all = append(all, f.Missing)
	}
	return strings.Join(all, ", ")
}

// Change is a file that differs from the last approved version.
type Change struct {
	Path          string
	What          string
	Texts         bool // Before and After can be compared
	Before, After string
}

// maxDiffs bounds the files compared line by line.
const maxDiffs = 20

// MaskedFiles returns the partly hidden files.
func (c Content) MaskedFiles() (names []string) {
	for _, f := range c.Files {
		if f.Masked {
			names = append(names, f.Path)
		}
	}
	return names
}

// unread counts a version's files that the page doesn't show.
func (c Content) unread() (n int) {
	for _, f := range c.Files {
		if f.Missing != "" {
			n++
		}
	}
	return n
}

// maxPlaces bounds the shown places of a fact.
const maxPlaces = 20

// facts are those that were found.
func (c Content) facts() []bundle.Fact {
	all := slices.Clone(c.Facts)
	for i, f := range all {
		if len(f.Places) > maxPlaces {
			all[i].Places = append(f.Places[:maxPlaces:maxPlaces], fmt.Sprintf("and %d more", len(f.Places)-maxPlaces))
		}
	}
	return all
}

// stateWords says how a version stands.
func stateWords(v skills.Version) string {
	switch {
	case v.State == skills.Quarantined:
		return "Waits for your review"
	case v.State == skills.Approved:
		return "Approved"
	case v.Approved.IsZero():
		return "Rejected"
	}
	return "Revoked"
}

// lastDecision returns when and by whom a version was last decided, or zero.
func lastDecision(v skills.Version) (at time.Time, by string) {
	if v.State == skills.Revoked {
		return v.Revoked, format.Actor(v.RevokedBy)
	}
	return v.Approved, format.Actor(v.ApprovedBy)
}

// runWords tells how often a version ran and failed.
func runWords(r skills.Runs) string {
	words := format.Count(int64(r.Ended), "run")
	if r.Failed > 0 {
		words += fmt.Sprintf(", %s failed (%d%%)", format.Number(int64(r.Failed)), max(1, 100*r.Failed/r.Ended))
	}
	return words
}

// versionTitle names a version with its author's label.
func versionTitle(v skills.Version) string {
	if v.Label == "" {
		return "Version " + strconv.Itoa(v.Number)
	}
	return fmt.Sprintf("Version %d (%s)", v.Number, v.Label)
}

// shortDigest is the beginning of a digest.
func shortDigest(digest string) string {
	digest = strings.TrimPrefix(digest, "sha256:")
	return digest[:min(16, len(digest))]
}

// limitWords tells a version's requested run time.
func limitWords(m bundle.Manifest) string {
	if m.Timeout == 0 {
		return ""
	}
	return m.Timeout.String() + " of run time"
}
