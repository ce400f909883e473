package layout

import (
	"slices"

	"github.com/computclaw/airlock/views/paths"
)

// Section is a page's part of the navigation.
type Section string

// The sections.
const (
	SectionOverview    Section = "overview"
	SectionInbox       Section = "inbox"
	SectionProfiles    Section = "profiles"
	SectionCredentials Section = "credentials"
	SectionExecutions  Section = "executions"
	SectionSkills      Section = "skills"
	SectionStatistics  Section = "statistics"
	SectionSandbox     Section = "sandbox"
	SectionAudit       Section = "audit"
	SectionSettings    Section = "settings"
)

// Place is one entry of the navigation.
type Place struct {
	Section Section
	URL     string
	Icon    string
	Word    string
}

// MainPlaces returns the upper part of the navigation.
func MainPlaces() []Place {
	return []Place{
		{SectionOverview, paths.Root, "overview", "Overview"},
		{SectionInbox, paths.Inbox, "inbox", "Inbox"},
		{SectionProfiles, paths.Profiles, "profile", "Profiles"},
		{SectionCredentials, paths.Credentials, "key", "Credentials"},
		{SectionExecutions, paths.Executions, "run", "Executions"},
		{SectionSkills, paths.Skills, "skill", "Skills"},
	}
}

// thumbPlaces returns the places in a phone's bar.
func thumbPlaces() []Place { return slices.DeleteFunc(MainPlaces(), isFar) }

// farPlaces returns the places beyond a phone's bar.
func farPlaces() []Place {
	far := slices.DeleteFunc(MainPlaces(), func(p Place) bool { return !isFar(p) })
	return append(far, OtherPlaces()...)
}

func isFar(p Place) bool { return p.Section == SectionCredentials || p.Section == SectionSkills }

// OtherPlaces returns the lower part of the navigation.
func OtherPlaces() []Place {
	return []Place{
		{SectionStatistics, paths.Stats, "statistics", "Statistics"},
		{SectionSandbox, paths.Sandbox, "box", "Sandbox"},
		{SectionAudit, paths.Audit, "audit", "Audit"},
		{SectionSettings, paths.Settings, "settings", "Settings"},
	}
}

// theme is one way to colour the pages.
type theme struct {
	Value string // of the setting
	Word  string
	Icon  string
}

// themes returns the chosen theme and the next one.
func themes(chosen string) (now, next theme) {
	system, light, dark := theme{"", "System theme", "auto"}, theme{"light", "Light theme", "sun"},
		theme{"dark", "Dark theme", "moon"}
	switch chosen {
	case light.Value:
		return light, dark
	case dark.Value:
		return dark, system
	}
	return system, light
}
