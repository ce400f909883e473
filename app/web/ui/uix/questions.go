package uix

import (
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/views/dashboardview"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/paths"
)

// ProfileName returns a profile's name for people.
func ProfileName(profiles []app.Profile, handle string) string {
	if p := slices.IndexFunc(profiles, func(p app.Profile) bool { return p.Handle == handle }); p >= 0 {
		return format.Title(profiles[p].Description)
	}
	return "A deleted profile"
}

// questionNeeds lists scripts that wait for an answer from no agent. An entry leaves with the
// answer or the execution's end.
func questionNeeds(waiting []store.Unanswered, profiles []app.Profile) (all []dashboardview.Need) {
	for _, q := range waiting {
		name := ProfileName(profiles, q.ProfileHandle)
		all = append(all, dashboardview.Need{
			Icon: "awaiting_llm", Title: "A script waits for an answer",
			Detail: name + " asked the LLM, and no agent has answered. Start the agent, or answer yourself.",
			URL:    paths.ExecutionURL(q.Handle) + "#answer", Action: "See the question", At: q.AskedAt,
		})
	}
	return all
}
