package transfer

import (
	"context"
	"fmt"
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/app/transfer/content"
)

// lookAtSkills reads the skills of this instance.
func (p *planner) lookAtSkills(ctx context.Context) error {
	rows, err := p.tx.Skills.Rows(ctx)
	for _, row := range rows {
		s, _, err := content.OpenSkill(ctx, p.tx, row)
		if err != nil {
			return err
		}
		p.skills[row.Name] = s
	}
	return err
}

// skill compares a skill of the file with what is here. What an import never does: approve what was
// revoked here, or switch on what is off.
func (p *planner) skill(f content.Skill) Item {
	item := Item{Key: "skill:" + f.Name, Kind: "skill", Name: f.Name, State: StateNew, Facts: skillFacts(f)}
	here, exists := p.skills[f.Name]
	exists = exists && here.DeletedAt == 0
	item.Changes, item.Widens = p.grants(f, here, exists)
	switch {
	case exists:
		said, widens := skillChanges(f, here)
		item.Changes, item.Widens = append(said, item.Changes...), item.Widens || widens
		item.State = StateSame
		if len(item.Changes) > 0 {
			item.State = StateConflict
		}
	case here.ID != 0:
		item.Changes = append([]string{"It was here and was deleted. It would come back."}, item.Changes...)
		item.Widens = true
	}
	return item
}

// skillFacts says what a new skill is.
func skillFacts(s content.Skill) (said []string) {
	for _, v := range s.Versions {
		if v.Kept {
			said = append(said, fmt.Sprintf("Version %d is %s: %s.", v.Number, stateWord(v.State), v.Digest))
		}
	}
	if !s.Enabled {
		said = append(said, "It is switched off.")
	}
	return said
}

func stateWord(state string) string {
	if skills.State(state) == skills.Quarantined {
		return "not reviewed"
	}
	return state
}

// grants says which profiles that are here could run the skill then.
func (p *planner) grants(f content.Skill, here content.Skill, exists bool) (said []string, widens bool) {
	for _, g := range f.Profiles {
		i := slices.IndexFunc(p.in.Profiles, func(r content.Profile) bool { return r.Handle == g.Profile })
		local, ok := p.local(p.in.Profiles[i])
		if !ok || local.Handle != g.Profile || exists && here.Allows(g.Profile) {
			continue
		}
		said = append(said, fmt.Sprintf("The profile %s of this instance could run it.", app.Clip(local.Description, 200)))
		widens = widens || f.Runs() || exists && here.Runs()
	}
	return said, widens
}

// skillChanges says what the file's versions would change in the skill here.
func skillChanges(s, here content.Skill) (said []string, widens bool) {
	for _, v := range s.Versions {
		if !v.Kept {
			continue
		}
		local, known := here.Version(v.Digest)
		now, file := skills.State(local.State), skills.State(v.State)
		switch {
		case !known || !local.Kept:
			said = append(said, fmt.Sprintf("A version would be added, %s: %s.", stateWord(v.State), v.Digest))
			widens = widens || file == skills.Approved
		case now != skills.Revoked && file == skills.Revoked:
			said = append(said, fmt.Sprintf("Version %d here becomes revoked.", local.Number))
		case now == skills.Quarantined && file == skills.Approved:
			said, widens = append(said, fmt.Sprintf("Version %d here becomes approved: %s.", local.Number, v.Digest)), true
		}
	}
	if here.Enabled && !s.Enabled {
		said = append(said, "It is switched off.")
	}
	return said, widens
}
