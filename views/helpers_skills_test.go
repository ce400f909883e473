package views_test

import (
	"strconv"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/app/skills/bundle"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/markdown"
	"github.com/computclaw/airlock/views/skillview"
)

func sampleVersions() []skills.Version {
	agent := app.Actor{Kind: app.ActorAgent, Name: "h1b2c3d4e5f6"}
	ada := app.Actor{Kind: app.ActorPerson, Name: "Ada Lovelace"}
	manifest := bundle.Manifest{Name: "row-totals", Entrypoint: "scripts/main.py", Keys: []string{"ORACLE_PASSWORD", "ORACLE_DSN"},
		Hosts: []app.Host{host("oracle.corp.example.com:1521"), host("simphony.example.com")}}
	one := func(number int, label string, state skills.State) skills.Version {
		return skills.Version{Name: "row-totals", Number: number, Label: label, State: state, By: agent, Manifest: manifest,
			Digest:   "sha256:" + strings.Repeat(strconv.Itoa(number), 64),
			Uploaded: ago(time.Duration(4-number) * 26 * time.Hour), Enabled: true, Kept: true}
	}
	waiting, approved, revoked := one(3, "1.3.0", skills.Quarantined), one(2, "1.2.0", skills.Approved), one(1, "", skills.Revoked)
	approved.ApprovedBy, approved.Approved = ada, ago(30*time.Hour)
	revoked.RevokedBy, revoked.Revoked, revoked.Reason = ada, ago(40*time.Hour), "It sends mail."
	return []skills.Version{waiting, approved, revoked}
}

func sampleSkills() skillview.ListPage {
	off := skills.Skill{Name: "monthly-revenue-by-region-and-outlet", Versions: sampleVersions()[1:]}
	return skillview.ListPage{Shell: shell("Skills", layout.SectionSkills), Skills: []skillview.ListRow{
		{Skill: off}, {Skill: skills.Skill{Name: "row-totals", Enabled: true, Versions: sampleVersions()},
			Allowed: []string{"Monthly revenue report from Oracle", "Nightly stock check"}},
		{Skill: skills.Skill{Name: "stock", Enabled: true, Versions: sampleVersions()[1:2]},
			Allowed: []string{"Monthly revenue report from Oracle"}}}}
}

func sampleAllowed() []app.Profile {
	return []app.Profile{{Handle: "h", Description: "Monthly revenue report from Oracle"},
		{Handle: "i", Description: "Nightly stock check"}}
}

func sampleSkill() skillview.SkillPage {
	const script = "import pandas as pd\n\n# One row per outlet.\nrows = pd.DataFrame(inputs['rows'])\nset_result(rows.sum().to_dict())\n"
	return skillview.SkillPage{
		Shell: shell("row-totals", layout.SectionSkills), Version: sampleVersions()[0], Last: 2, Allowed: sampleAllowed(),
		Skill:  skills.Skill{Name: "row-totals", Enabled: true, Versions: sampleVersions()},
		Others: []components.Choice{{Value: "j", Word: "Weekly report"}},
		Runs: map[string]skills.Runs{"sha256:" + strings.Repeat("2", 64): {Ended: 1284, Failed: 103, Last: ago(2 * time.Hour)},
			"sha256:" + strings.Repeat("1", 64): {Ended: 1, Last: ago(39 * time.Hour)}},
		Content: skillview.Content{Version: sampleVersions()[0], Missing: []string{"numpy", "pandas"},
			Description: "Sums the rows of a table, by outlet and month.", Instructions: instructions(),
			Facts: bundle.Facts{Hosts: []string{"telemetry.example.net"}, Binary: []string{"assets/logo.png"},
				Secrets:      []bundle.Finding{{File: "scripts/main.py", Line: 4, What: "jwt"}},
				Requirements: []string{"pandas==2.2.3", "openpyxl"}}.All(),
			Files: []skillview.File{
				{Path: "SKILL.md", Size: 420, Text: "---\nname: row-totals\ndescription: Sums the rows of a table, by outlet and month.\n---\nSend `rows`, a list of objects with numbers.\n"},
				{Path: "assets/logo.png", Size: 12 << 10, Missing: skillview.NoText},
				{Path: "data/rates.csv", Size: 900 << 10, Missing: skillview.TooLong},
				{Path: "scripts/main.py", Size: 180, Text: script, Python: true, Main: true, Executable: true},
			},
			Changes: []skillview.Change{{Path: "assets/logo.png", What: "new"},
				{Path: "scripts/main.py", What: "changed", Texts: true, After: script, Before: strings.Replace(script, "sum()", "mean()", 1)}}},
	}
}

// instructions are Markdown of all kinds.
func instructions() string {
	html, _ := markdown.Render("# Row totals\n\nSend `rows`, a list of *objects* with **numbers**.\n\n## Inputs\n\n" +
		"| name | what |\n|---|---|\n| rows | objects, see https://docs.example.com/rows-of-all-kinds |\n\n1. Read the rows.\n" +
		"2. Sum them by [outlet](https://simphony.example.com/outlets?all=yes).\n   - None is left out.\n\n> Money is in cents.\n\n" +
		"```python\nset_result(rows.sum().to_dict())  # a line of code that is longer than a phone is wide\n```\n\n" +
		"![A chart](https://simphony.example.com/chart.png) <b>bold</b>\n\n---\n\nThe end.\n")
	return html
}

func approvedSkill() skillview.SkillPage {
	p := sampleSkill()
	p.Version, p.Last, p.Content.Changes, p.Skill.Enabled = sampleVersions()[1], 0, nil, false
	p.Content.Version = p.Version
	p.Problems, p.Reason = components.Problems{"reason": "The reason must be one line of at most 500 characters."}, "It sends mail."
	return p
}

// hostileSkill holds an agent's attempts to mislead the reviewer.
func hostileSkill() skillview.SkillPage {
	p := sampleSkill()
	long := strings.Repeat("very-long-folder/", 12) + "main.py"
	p.Content.Description = falseReason
	p.Content.Files[3].Path, p.Content.Changes[1].Path = long, long
	p.Content.Files[3].Text = "a = 1 # \u202e\u2066harmless\u2069\n" + strings.Repeat("x", 3000) + "\n"
	p.Content.Facts[0].Places = []string{strings.Repeat("a-long-label.", 18) + "example"} // the hosts
	p.Content.Version.Manifest.Hosts = strange()
	return p
}
