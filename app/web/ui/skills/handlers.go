package skills

import (
	"net/http"

	"github.com/labstack/echo/v4"
	"golang.org/x/sync/semaphore"

	"github.com/computclaw/airlock/app/redact/patterns"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

// atOnce bounds pages and uploads with skill files in memory, each up to twice bundle.MaxUnpacked.
const atOnce = 2

// Handlers answer the pages about skills.
type Handlers struct {
	*uix.UI
	rules  *patterns.Set // find probable secrets; nil: none
	memory *semaphore.Weighted
}

// New returns Handlers.
func New(u *uix.UI, rules *patterns.Set) Handlers {
	return Handlers{UI: u, rules: rules, memory: semaphore.NewWeighted(atOnce)}
}

// Routes returns this package's pages and forms.
func (h Handlers) Routes() []httpx.Route {
	return []httpx.Route{
		httpx.Get(paths.Skills, h.listSkills),
		httpx.Post(paths.Skills, h.uploadSkill),
		httpx.Get(paths.SkillPath, h.showSkill),
		uix.Post(paths.SkillApprove, h.approveVersion).Back(backToSkill),
		uix.Post(paths.SkillRevoke, h.revokeVersion).Back(backToSkill),
		uix.Post(paths.SkillSwitch, h.switchSkill).Back(backToSkill),
		uix.Post(paths.SkillAllow, h.allowProfile).Back(backToSkill),
		uix.Post(paths.SkillDisallow, h.disallowProfile).Back(backToSkill),
		httpx.Get(paths.SkillDelete, h.askDeleteSkill),
		uix.Post(paths.SkillDelete, h.deleteSkill),
	}
}

func backToSkill(c echo.Context) error {
	return c.Redirect(http.StatusSeeOther, paths.SkillURL(c.Param("name")))
}
