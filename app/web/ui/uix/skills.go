package uix

import (
	"context"
	"fmt"

	"github.com/computclaw/airlock/views/dashboardview"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/paths"
)

// skillNeeds says which versions of skills wait for a review.
func (i *Inbox) skillNeeds(ctx context.Context) (all []dashboardview.Need, err error) {
	waiting, err := i.skills(ctx)
	for _, v := range waiting {
		all = append(all, dashboardview.Need{
			Icon: "skill", Title: "A skill waits for your review",
			Detail: fmt.Sprintf("%s, version %d, uploaded by %s. Nobody can run it yet.", v.Name, v.Number, format.Actor(v.By)),
			URL:    paths.SkillVersionURL(v.Name, v.Number), Action: "Review", At: v.Uploaded,
		})
	}
	return all, err
}
