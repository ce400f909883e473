package skills

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	appskills "github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/skillview"
)

func (h Handlers) showSkill(c echo.Context) error {
	return h.skillPage(c, http.StatusOK, c.QueryParam("version"), nil, "")
}

// skillPage shows a skill and one version. That is the numbered one, else the newest that waits, or
// exists.
func (h Handlers) skillPage(c echo.Context, status int, number string, found components.Problems, reason string) error {
	ctx := c.Request().Context()
	s, err := h.Engine.Skills.Get(ctx, c.Param("name"))
	if err != nil {
		return err
	}
	v, ok := choose(s, number)
	if !ok {
		return app.E(app.CodeNotFound, "there is no such version of this skill", "It may have been deleted.")
	}
	sh, profiles, err := h.Shell(c, s.Name, layout.SectionSkills)
	if err != nil {
		return err
	}
	page := skillview.SkillPage{Shell: sh, Skill: s, Version: v, Problems: found, Reason: reason}
	for _, p := range profiles {
		if slices.Contains(s.Profiles, p.Handle) {
			page.Allowed = append(page.Allowed, p)
		} else {
			page.Others = append(page.Others, components.Choice{Value: p.Handle, Word: format.Title(p.Description)})
		}
	}
	if last, ok := s.Newest(appskills.Approved); ok && last.Number != v.Number {
		page.Last = last.Number
	}
	if page.Runs, err = h.Engine.Skills.Runs(ctx, s.Name); err != nil {
		return err
	}
	page.Content, err = h.readContent(c, s, v, profiles)
	if err != nil {
		return err
	}
	if page.Content.Hidden {
		page.Content.Version = appskills.Version{Number: v.Number}
	}
	return h.Render(c, status, skillview.Skill(page))
}

func choose(s appskills.Skill, number string) (v appskills.Version, ok bool) {
	if number != "" {
		i := slices.IndexFunc(s.Versions, func(v appskills.Version) bool { return strconv.Itoa(v.Number) == number })
		if i < 0 {
			return v, false
		}
		return s.Versions[i], true
	}
	if v, ok := s.Newest(appskills.Quarantined); ok {
		return v, true
	}
	if len(s.Versions) == 0 {
		return v, false
	}
	return s.Versions[0], true
}
