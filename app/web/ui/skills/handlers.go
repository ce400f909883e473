package skills

import (
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact/patterns"
	"github.com/computclaw/airlock/app/shares"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

// Bounds of pages and uploads with skill files in memory, each up to twice bundle.MaxUnpacked.
const (
	atOnce   = 2 // one a person
	waiting  = 8 // half of them one person's
	patience = 20 * time.Second
)

var errBusy = app.E(app.CodeRateLimited, "too many skills are being sent and read at once", "Wait 5 s, then try again.")

// Handlers answer the pages about skills.
type Handlers struct {
	*uix.UI
	rules  *patterns.Set // find probable secrets; nil: none
	memory *shares.Turns // by person
}

// New returns Handlers.
func New(u *uix.UI, rules *patterns.Set) Handlers {
	return Handlers{UI: u, rules: rules, memory: shares.NewTurns(atOnce, shares.New(waiting), errBusy)}
}

// takeMemory waits for a person's turn to hold skill files. The caller must call give.
func (h Handlers) takeMemory(c echo.Context) (give func(), err error) {
	return h.memory.TakeWithin(c.Request().Context(), uix.Actor(c).Name, patience)
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
