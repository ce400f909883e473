package policy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// maxTitles bounds how many profiles a sentence names.
const maxTitles = 5

// DescribeReached names locked profiles that reach a plain credential's host, and the new host. It
// is "" if there are none, or the value names the same host. An empty value asks for the present
// host only.
func (s *Versions) DescribeReached(ctx context.Context, c app.Credential, value app.Secret) (said string, err error) {
	err = s.store.Read(ctx, func(tx *store.Tx) error {
		opened, err := s.values.Open(ctx, tx, []string{c.ID})
		if err != nil {
			return err
		}
		was, becomes := HostNamed(c.Mode, opened[c.ID].Secret), HostNamed(c.Mode, value)
		if becomes == "" && !value.Empty() {
			return nil
		}
		said, err = describeReached(ctx, tx, c.ID, was, becomes)
		return err
	})
	return said, err
}

// describeReached is DescribeReached for a change of host from was to becomes. Either may be "".
func describeReached(ctx context.Context, tx *store.Tx, credential, was, becomes string) (string, error) {
	if was == becomes {
		return "", nil
	}
	titles, err := listLocked(ctx, tx, credential)
	if err != nil || len(titles) == 0 {
		return "", err
	}
	who := "The locked profile "
	if len(titles) > 1 {
		who = "The locked profiles "
	}
	if more := len(titles) - maxTitles; more > 0 {
		titles = append(titles[:maxTitles], fmt.Sprintf("%d more", more))
	}
	last := len(titles) - 1
	if last > 0 {
		titles = []string{strings.Join(titles[:last], ", ") + " and " + titles[last]}
	}
	who += titles[0]
	switch {
	case becomes == "" && last > 0:
		return who + " reach " + was + " through its value.", nil
	case becomes == "":
		return who + " reaches " + was + " through its value.", nil
	case was == "":
		return who + " would reach " + becomes + " through its value.", nil
	}
	return who + " would reach " + becomes + " instead of " + was + ".", nil
}

// listLocked returns the titles of locked profiles that allow a host by a credential. Revoked
// and expired ones count: a person can restore them.
func listLocked(ctx context.Context, tx *store.Tx, credential string) ([]string, error) {
	handles, err := tx.Credentials.Profiles(ctx, credential)
	if err != nil {
		return nil, err
	}
	var titles []string
	for _, handle := range handles {
		p, err := tx.Profiles.ByHandle(ctx, handle)
		if err != nil {
			return nil, err
		}
		if !p.Locked {
			continue
		}
		granted, err := tx.Policies.Version(ctx, handle, p.Policy)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(granted.Keys, func(g app.Grant) bool {
			return g.CredentialID == credential && slices.ContainsFunc(granted.Hosts,
				func(h app.Host) bool { return h.KeyReference() == g.Key })
		}) {
			titles = append(titles, title(p.Profile))
		}
	}
	return titles, nil
}

func title(p app.Profile) string {
	if p.Description == "" {
		return p.Handle
	}
	line, _, _ := strings.Cut(p.Description, "\n")
	return fmt.Sprintf("%q", app.Clip(app.VisibleText(line), 60))
}
