package skills

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	appskills "github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/skillview"
)

func (h Handlers) listSkills(c echo.Context) error { return h.listPage(c, http.StatusOK, nil) }

// listPage lists the skills with an upload's problems.
func (h Handlers) listPage(c echo.Context, status int, found components.Problems) error {
	sh, profiles, err := h.Shell(c, "Skills", layout.SectionSkills)
	if err != nil {
		return err
	}
	page := skillview.ListPage{Shell: sh, Problems: found}
	list, err := h.Engine.Skills.List(c.Request().Context())
	if err != nil {
		return err
	}
	for _, s := range list {
		if len(s.Versions) > 0 {
			page.Skills = append(page.Skills, skillview.ListRow{Skill: s, Allowed: profileChoices(s, profiles)})
		}
	}
	return h.Render(c, status, skillview.List(page), "skills")
}

// profileChoices lists the profiles that may run a skill by name.
func profileChoices(s appskills.Skill, profiles []app.Profile) (list []components.Choice) {
	for _, handle := range s.Profiles {
		for _, p := range profiles {
			if p.Handle == handle {
				list = append(list, components.Choice{Value: handle, Word: format.Title(p.Description)})
			}
		}
	}
	return list
}
