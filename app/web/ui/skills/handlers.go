package skills

import (
	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app/redact/patterns"
	"github.com/computclaw/airlock/app/shares"
	appskills "github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

// Handlers answer the pages about skills.
type Handlers struct {
	*uix.UI
	rules  *patterns.Set // find probable secrets; nil: none
	memory *shares.Turns // by person
}

// New returns Handlers.
func New(u *uix.UI, rules *patterns.Set) Handlers {
	return Handlers{UI: u, rules: rules, memory: appskills.NewTurns()}
}

// takeMemory waits for a person's turn to hold skill files. The caller must call give.
func (h Handlers) takeMemory(c echo.Context) (give func(), err error) {
	return h.memory.TakeWithin(c.Request().Context(), uix.Actor(c).Name, appskills.Patience)
}

// Routes returns this package's pages and forms.
func (h Handlers) Routes() []httpx.Route {
	return []httpx.Route{
		httpx.Get(paths.Skills, h.listSkills),
		httpx.Post(paths.Skills, h.uploadSkill),
		httpx.Get(paths.SkillPath, h.showSkill),
		uix.Post(paths.SkillApprove, h.approveVersion),
		uix.Post(paths.SkillRevoke, h.revokeVersion),
		uix.Post(paths.SkillSwitch, h.switchSkill),
		uix.Post(paths.SkillAllow, h.allowProfile),
		uix.Post(paths.SkillDisallow, h.disallowProfile),
		httpx.Get(paths.SkillDelete, h.askDeleteSkill),
		uix.Post(paths.SkillDelete, h.deleteSkill),
	}
}
