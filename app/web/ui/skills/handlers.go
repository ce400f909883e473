package skills

import (
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
		uix.Post(paths.SkillApprove, h.approveVersion),
		uix.Post(paths.SkillRevoke, h.revokeVersion),
		uix.Post(paths.SkillSwitch, h.switchSkill),
		uix.Post(paths.SkillAllow, h.allowProfile),
		uix.Post(paths.SkillDisallow, h.disallowProfile),
		httpx.Get(paths.SkillDelete, h.askDeleteSkill),
		uix.Post(paths.SkillDelete, h.deleteSkill),
	}
}
