package executions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/executionview"
	"github.com/computclaw/airlock/views/paths"
	"github.com/computclaw/airlock/views/profileview"
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
	explained := rules.Explain(c)
	if explained == nil {
		return rejection(profile, c)
	}
	o.Sentence = explained.Message + "."
	if entry, found := page.HostSince(c); found && page.ProfileURL != "" {
		if o.Allowed = entry.Allowed; !entry.Allowed && profile.Locked && !profile.Revoked {
			o.Place, o.Allow = entry.Brief(), allowFields(entry, page.Execution.Handle)
		}
	}
	return o
}

// allowFields returns the fields of a hosts form that allow an entry. After confirmation the form
// leads back to the execution.
func allowFields(entry app.HostRequest, execution string) []components.Choice {
	return []components.Choice{
		{Value: profileview.HostField(0), Word: entry.String()}, {Value: profileview.AllowField(0), Word: "yes"},
		{Value: profileview.ExecutionField, Word: execution},
	}
}

// rejection tells that a host refused a request's sealed values.
func rejection(profile app.Profile, c app.Connection) (o executionview.Obstacle) {
	if len(c.Credentials) == 0 || c.Status != 401 && c.Status != 403 {
		return o
	}
	o.Sentence = fmt.Sprintf("%s answered %d to %s.", c.Host, c.Status, strings.Join(c.Credentials, ", "))
	for _, k := range profile.Keys {
		if k.Name == c.Credentials[0] && k.Credential != "" {
			o.URL, o.Action = paths.CredentialURL(k.Credential), "Check "+k.Credential
		}
	}
	return o
}
