package skills

import (
	"bytes"
	"context"
	"path"
	"slices"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
	appskills "github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/app/skills/bundle"
	"github.com/computclaw/airlock/views/markdown"
	"github.com/computclaw/airlock/views/skillview"
)

// Bounds of a page's content. Redacting takes up to two seconds per MiB.
const (
	maxFileText  = 256 << 10 // bytes of one file
	maxTotalText = 512 << 10 // bytes of all files of a version
)

// readContent returns a version's files and changes since the last approval, with secrets masked.
// Without Vault's values the secrets are unknown, so it returns nothing.
func (h Handlers) readContent(c echo.Context, s appskills.Skill, v appskills.Version,
	profiles []app.Profile) (content skillview.Content, err error) {
	give, err := h.takeMemory(c)
	if err != nil {
		return content, err
	}
	defer give()
	ctx := c.Request().Context()
	red, all, err := h.redactor(ctx, s, profiles)
	if err != nil {
		return content, err
	}
	if !all {
		for i := range s.Versions { // the page lists them
			s.Versions[i].Label = ""
		}
		content.Hidden = true
		return content, nil
	}
	b, err := h.Engine.Skills.Open(ctx, v.Digest)
	if err != nil {
		return content, err
	}
	content.Files = shownFiles(red, *b)
	content.Version = maskVersion(red, v)
	for i, other := range s.Versions { // the page lists them
		s.Versions[i].Label = mask(red, other.Label)[0]
	}
	shown := mask(red, v.Description, b.Instructions)
	content.Description = shown[0]
	content.Instructions, _ = markdown.Render(shown[1])
	for _, fact := range h.Engine.Skills.Scan(*b).All() {
		content.Facts = append(content.Facts, bundle.Fact{Name: fact.Name, Places: mask(red, fact.Places...)})
	}
	content.Missing = mask(red, h.missingPackages(s, v, profiles)...)
	last, ok := s.Newest(appskills.Approved)
	if !ok || last.Digest == v.Digest {
		return content, nil
	}
	before, err := h.Engine.Skills.Open(ctx, last.Digest)
	if err != nil {
		return content, err
	}
	content.Changes = changes(*before, *b, shownFiles(red, *before), content.Files)
	return content, nil
}

// missingPackages returns a version's packages that its boxes lack. Without a profile that may run
// it, the default placement counts.
func (h Handlers) missingPackages(s appskills.Skill, v appskills.Version, profiles []app.Profile) (names []string) {
	var places []app.Placement
	for _, p := range profiles {
		if slices.Contains(s.Profiles, p.Handle) {
			places = append(places, p.Placement)
		}
	}
	if len(places) == 0 {
		places = []app.Placement{{}}
	}
	for _, place := range places {
		names = append(names, h.Engine.Skills.MissingNeeds(v, place)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// redactor masks the secrets of profiles that may run a skill or sent it. all is false if Vault's
// values are not read yet.
func (h Handlers) redactor(ctx context.Context, s appskills.Skill,
	profiles []app.Profile) (red *redact.Redactor, all bool, err error) {
	handles := append(slices.Clone(s.Profiles), s.Owner)
	for _, v := range s.Versions {
		handles = append(handles, v.By.Name)
	}
	var values []secrets.Resolved
	opened := credentials.Opened{}
	for _, p := range profiles {
		if !slices.Contains(handles, p.Handle) {
			continue
		}
		known, whole, err := h.Access.Resolver.KnownValues(ctx, p, opened)
		if err != nil || !whole {
			return nil, false, err
		}
		values = append(values, known...)
	}
	var options redact.Options
	if h.rules != nil {
		options.Rules = h.rules.Find
	}
	return redact.New(values, options), true, nil
}

func mask(red *redact.Redactor, texts ...string) []string {
	clean, _ := red.Texts(texts)
	shown := make([]string, len(clean))
	for i, c := range clean {
		shown[i] = c.String()
	}
	return shown
}

// maskVersion masks what SKILL.md says of a version.
func maskVersion(red *redact.Redactor, v appskills.Version) appskills.Version {
	shown := mask(red, v.Label, v.Description, v.Manifest.Entrypoint, v.Manifest.Image)
	v.Label, v.Description, v.Manifest.Entrypoint, v.Manifest.Image = shown[0], shown[1], shown[2], shown[3]
	v.Manifest.Keys = mask(red, v.Manifest.Keys...)
	v.Manifest.Hosts = slices.Clone(v.Manifest.Hosts)
	for i, h := range v.Manifest.Hosts {
		v.Manifest.Hosts[i].Name = mask(red, h.Name)[0]
	}
	return v
}

// shownFiles returns a bundle's files with texts while room lasts, the entrypoint first.
func shownFiles(red *redact.Redactor, b bundle.Bundle) []skillview.File {
	files := make([]skillview.File, len(b.Files))
	left := maxTotalText
	for _, entrypoint := range []bool{true, false} {
		for i, f := range b.Files {
			if entrypoint == (f.Path == b.Manifest.Entrypoint) {
				files[i] = shownFile(red, f, max(min(left, maxFileText), 0))
				files[i].Main = entrypoint
				left -= len(files[i].Text)
			}
		}
	}
	return files
}

// shownFile returns a file, with its text if at most room bytes.
func shownFile(red *redact.Redactor, f bundle.File, room int) skillview.File {
	shown := skillview.File{Size: int64(len(f.Content)), Executable: f.Executable, Python: path.Ext(f.Path) == ".py"}
	shown.Path = mask(red, f.Path)[0]
	shown.Masked = shown.Path != f.Path
	switch {
	case !utf8.Valid(f.Content) || bytes.IndexByte(f.Content, 0) >= 0:
		shown.Missing = skillview.NoText
	case len(f.Content) > room:
		shown.Missing = skillview.TooLong
	default:
		shown.Text = mask(red, string(f.Content))[0]
		shown.Masked = shown.Masked || shown.Text != string(f.Content)
	}
	return shown
}

// changes lists new, removed and changed files. The shown files follow their bundles' order.
func changes(before, after bundle.Bundle, was, is []skillview.File) (list []skillview.Change) {
	find := func(b bundle.Bundle, path string) int {
		return slices.IndexFunc(b.Files, func(f bundle.File) bool { return f.Path == path })
	}
	for i, f := range after.Files {
		j := find(before, f.Path)
		switch {
		case j < 0:
			list = append(list, skillview.Change{Path: is[i].Path, What: "new"})
		case !bytes.Equal(before.Files[j].Content, f.Content):
			list = append(list, skillview.Change{Path: is[i].Path, What: "changed", Before: was[j].Text, After: is[i].Text,
				Texts: was[j].Missing == "" && is[i].Missing == ""})
		case before.Files[j].Executable != f.Executable:
			list = append(list, skillview.Change{Path: is[i].Path, What: "executable bit changed"})
		}
	}
	for j, f := range before.Files {
		if find(after, f.Path) < 0 {
			list = append(list, skillview.Change{Path: was[j].Path, What: "removed"})
		}
	}
	return list
}
