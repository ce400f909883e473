package uix

import (
	"fmt"

	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/views/dashboardview"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/paths"
)

func skillNeeds(waiting []skills.Version) (all []dashboardview.Need) {
	for _, v := range waiting {
		all = append(all, dashboardview.Need{
			Icon: "skill", Title: "A skill waits for your review",
			Detail: fmt.Sprintf("%s, version %d, uploaded by %s. Nobody can run it yet.", v.Name, v.Number, format.Actor(v.By)),
			URL:    paths.SkillVersionURL(v.Name, v.Number), Action: "Review", At: v.Uploaded,
		})
	}
	return all
}
