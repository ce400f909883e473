package executions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
	"github.com/computclaw/airlock/views/executionview"
)

// maxObstacles bounds how many a page leads with.
const maxObstacles = 10

// obstacles lists each reason for stopped connections once, with the possible remedy.
func obstacles(page executionview.ExecutionPage, profile app.Profile) (all []executionview.Obstacle) {
	if s := page.Execution.Status; !s.Terminal() || s == app.StatusCompleted || s == app.StatusCancelled {
		return nil
	}
	for _, c := range page.Network {
		o := obstacleOf(page, profile, c)
		known := slices.ContainsFunc(all, func(one executionview.Obstacle) bool { return one.Sentence == o.Sentence })
		if o.Sentence != "" && !known && len(all) < maxObstacles {
			all = append(all, o)
		}
	}
	return all
}

// obstacleOf explains a connection; its sentence is empty if nothing stopped it.
func obstacleOf(
	page executionview.ExecutionPage, profile app.Profile, c app.Connection,
) (o executionview.Obstacle) {
	if c.Rule == rules.Cancelled || c.Rule == rules.Closed {
		return o
	}
	if explained := rules.Explain(c); explained != nil {
		o.Sentence = explained.Message + "."
		entry, found := page.HostSince(c)
		if found && (entry.Allowed || profile.Locked && !profile.Revoked) {
			o.Host = &entry
		}
		return o
	}
	if len(c.Credentials) > 0 && (c.Status == 401 || c.Status == 403) { // a host refused sealed values
		o.Sentence = fmt.Sprintf("%s answered %d to %s.", c.Host, c.Status, strings.Join(c.Credentials, ", "))
		for _, k := range profile.Keys {
			if k.Name == c.Credentials[0] {
				o.Credential = k.Credential
			}
		}
	}
	return o
}
