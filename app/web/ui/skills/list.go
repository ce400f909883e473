package skills

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

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
		if len(s.Versions) == 0 {
			continue
		}
		row := skillview.ListRow{Skill: s}
		for _, p := range profiles {
			if slices.Contains(s.Profiles, p.Handle) {
				row.Allowed = append(row.Allowed, format.Title(p.Description))
			}
		}
		page.Skills = append(page.Skills, row)
	}
	return h.Render(c, status, skillview.List(page), "skills")
}
