package transfer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/transfer/content"
)

// credentialFacts describes a credential without its value.
func credentialFacts(c content.Credential) []string {
	facts := []string{"It is " + string(c.Mode) + "."}
	if len(c.Hosts) > 0 {
		facts = append(facts, "It belongs to "+app.BriefHosts(c.Hosts)+".")
	}
	if c.Mode == app.ModeSealed {
		for _, place := range c.Places {
			if place != app.PlaceHeader {
				facts = append(facts, "It is also put into the "+string(place)+" of requests.")
			}
		}
		if len(c.Headers) > 0 {
			facts = append(facts, "It is put into "+headerList(c.Headers)+".")
		}
		if c.PlainHTTP {
			facts = append(facts, "It also goes over unencrypted HTTP.")
		}
	}
	switch {
	case c.Source == app.SourceVault:
		facts = append(facts, "Its value is read from Vault: "+c.Reference+".")
	case c.Value == nil:
		facts = append(facts, "It has no value.")
	}
	return facts
}

// credentialChanges describes what overwriting would change in the credential here. widens: its value could
// get to more places, or scripts could get it.
func credentialChanges(c, here content.Credential) (said []string, widens bool) {
	say := func(more bool, format string, args ...any) {
		said, widens = append(said, fmt.Sprintf(format, args...)), widens || more
	}
	if c.Value != nil && !sameValue(c, here) { // a file without a value takes none away
		say(false, "Its value becomes the file's.")
	}
	if c.Source != here.Source || c.Reference != here.Reference {
		say(true, "Its value would come from elsewhere: %s.", source(c))
	}
	if c.Mode != here.Mode {
		say(c.Mode != app.ModeSealed && here.Mode != app.ModePlain, "It becomes %s; here it is %s.", c.Mode, here.Mode)
	}
	if more := missing(c.Hosts, here.Hosts); len(more) > 0 {
		say(len(here.Hosts) > 0, "It would also belong to %s.", app.BriefHosts(more))
	}
	if less := missing(here.Hosts, c.Hosts); len(less) > 0 {
		say(len(c.Hosts) == 0, "It would no longer belong to %s.", app.BriefHosts(less))
	}
	for _, p := range c.Places {
		if !slices.Contains(here.Places, p) {
			say(true, "It would also be put into the %s of requests.", p)
		}
	}
	for _, p := range here.Places {
		if !slices.Contains(c.Places, p) {
			say(false, "It would no longer be put into the %s of requests.", p)
		}
	}
	if !slices.Equal(c.Headers, here.Headers) {
		usable := app.SealedHeaders(here.Headers)
		more := slices.ContainsFunc(app.SealedHeaders(c.Headers),
			func(name string) bool { return !slices.Contains(usable, name) })
		say(more, "It would be put into %s.", headerList(c.Headers))
	}
	if c.PlainHTTP != here.PlainHTTP {
		say(c.PlainHTTP, "Going over unencrypted HTTP would be %s.",
			map[bool]string{true: "allowed", false: "forbidden"}[c.PlainHTTP])
	}
	if c.Description != here.Description || c.Service != here.Service {
		say(false, "Its description becomes %q.", app.Clip(strings.TrimSpace(c.Service+" "+c.Description), 200))
	}
	return said, widens
}

// credentialUnfit says why the credential here, with the value that it keeps, can't become what the file
// says; "" if it can.
func credentialUnfit(c, here content.Credential) string {
	switch {
	case c.Source != app.SourceLocal || c.Value != nil:
		return ""
	case here.Source == app.SourceVault && here.Version > 0:
		return "Its value here is read from Vault, and the file holds none: Airlock would have no value of it any more."
	case here.Value != nil && app.CheckValue(c.Mode, app.NewSecret(*here.Value)) != nil:
		return "Its value here can't be " + string(c.Mode) + ", and the file holds no other."
	}
	return ""
}

func headerList(named []string) string {
	if len(named) == 0 {
		return "the usual credential headers"
	}
	return "the headers " + strings.Join(named, ", ")
}

func sameValue(a, b content.Credential) bool {
	if a.Value == nil || b.Value == nil {
		return a.Value == b.Value
	}
	return app.NewSecret(*a.Value).Equal(app.NewSecret(*b.Value))
}

func source(c content.Credential) string {
	if c.Source == app.SourceVault {
		return "Vault, " + c.Reference
	}
	return "this instance"
}

// missing returns the hosts in a that are not in b.
func missing(a, b []app.Host) (list []app.Host) {
	in := comparableHosts(b)
	for i, h := range comparableHosts(a) {
		if !slices.Contains(in, h) {
			list = append(list, a[i])
		}
	}
	return list
}

// facts describes what a profile of the file may do.
func (p *planner) facts(f content.Profile) []string {
	var facts []string
	switch {
	case f.Revoked:
		facts = append(facts, "It is revoked.")
	case !f.Locked:
		facts = append(facts, "It is not locked: it can do nothing yet.")
		for _, h := range f.Allowed() {
			facts = append(facts, "Once locked, it would reach "+p.sentence(f, h, p.sealedFor(f))+".")
		}
	}
	if f.Locked {
		policy := p.in.Current(f)
		for _, g := range policy.Keys {
			fact := "Its key " + g.Key + " gets " + p.credentialName(g.CredentialID)
			if len(g.Hosts) > 0 {
				fact += ", for " + app.BriefHosts(g.Hosts)
			}
			facts = append(facts, fact+".")
		}
		for _, h := range policy.Hosts {
			facts = append(facts, "It reaches "+p.sentence(f, h, p.sealedHosts(policy))+".")
		}
		if len(policy.Hosts) == 0 {
			facts = append(facts, "It reaches no host.")
		}
		if policy.Placement != (app.Placement{}) {
			facts = append(facts, "Its scripts run only here: "+placement(policy.Placement)+".")
		}
		if may := app.MayRun(f.MayRun); may != "" && may != app.MayRunAny {
			facts = append(facts, may.Sentence())
		}
	}
	if f.ExpiresAt > 0 {
		facts = append(facts, "It expires at "+moment(f.ExpiresAt)+".")
	}
	return facts
}

// sentence says what an entry lets a profile of the file reach, with the host that a plain key
// names.
func (p *planner) sentence(f content.Profile, h app.Host, sealed []app.Host) string {
	for _, k := range f.Keys {
		if c, ok := p.in.Credential(k.Credential); ok && k.Name == h.KeyReference() && hostNamed(c) != "" {
			h.Name += " (" + hostNamed(c) + " in the file)"
		}
	}
	return h.Sentence(sealed)
}

// sealedHosts is where the values of a policy's sealed keys may go. What counts is the mode of the
// credential, not that of the grant, which says what it was at the lock.
func (p *planner) sealedHosts(policy app.Policy) (hosts []app.Host) {
	for _, g := range policy.Keys {
		if c, ok := p.in.Credential(g.CredentialID); ok && c.Mode == app.ModeSealed {
			hosts = append(hosts, app.Within(g.Hosts, c.Hosts)...)
		}
	}
	return hosts
}

// sealedFor is where the values of sealed keys of an unlocked profile of the file could go.
func (p *planner) sealedFor(f content.Profile) (hosts []app.Host) {
	for _, k := range f.Keys {
		if c, ok := p.in.Credential(k.Credential); ok && c.Mode == app.ModeSealed {
			hosts = append(hosts, app.Within(k.Hosts, c.Hosts)...)
		}
	}
	return hosts
}

// credentialName is the name of one of the file's credentials.
func (p *planner) credentialName(id string) string {
	if c, ok := p.in.Credential(id); ok {
		return c.Name
	}
	return "a credential that was deleted"
}

func (p *planner) localName(id string) string {
	if name, ok := p.names[id]; ok {
		return name
	}
	return "a credential that was deleted"
}

func moment(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }

// difference is how the file's profile differs from the one here.
type difference struct {
	changes []string
	widens  bool
	blocked string
}

func (d *difference) say(widens bool, format string, args ...any) {
	d.changes, d.widens = append(d.changes, fmt.Sprintf(format, args...)), d.widens || widens
}

// compare says what overwriting the profile here would change. What is revoked here stays revoked
// and what is locked stays locked, whatever is chosen.
func (p *planner) compare(ctx context.Context, f content.Profile, r content.Profile) (difference, error) {
	var d difference
	switch {
	case r.Revoked:
		if !f.Revoked {
			d.blocked = "It is revoked here, and stays so."
		}
		return d, nil
	case r.Locked && !f.Locked:
		d.blocked = "It is locked here, and stays so."
		return d, nil
	case r.Locked && p.keysText(f.Keys, p.credentialName) != p.keysText(r.Keys, p.localName):
		d.blocked = "Its keys differ, and the keys of a locked profile never change. Delete it here first if the file's is " +
			"the right one."
		return d, nil
	}
	if f.Revoked {
		d.say(false, "It becomes revoked.")
	}
	if f.Description != r.Description {
		d.say(false, "Its name becomes %q.", app.Clip(f.Description, 200))
	}
	if f.ExpiresAt != r.ExpiresAt {
		later := f.ExpiresAt == 0 || r.ExpiresAt > 0 && f.ExpiresAt > r.ExpiresAt
		if f.ExpiresAt == 0 {
			d.say(later, "It would never expire; here it expires at %s.", moment(r.ExpiresAt))
		} else {
			d.say(later, "It would expire at %s.", moment(f.ExpiresAt))
		}
	}
	if !r.Locked {
		p.compareOpen(&d, f, r)
		return d, nil
	}
	policy, err := p.tx.Policies.Version(ctx, r.Handle, r.Policy)
	if err != nil {
		return d, err
	}
	p.comparePolicies(&d, f, policy)
	return d, nil
}

// compareOpen compares a profile that is not locked here.
func (p *planner) compareOpen(d *difference, f, r content.Profile) {
	if f.Locked {
		d.say(true, "It becomes locked, so that its agent can use it.")
		d.changes = append(d.changes, p.borrowed(f)...)
	}
	for _, h := range missing(f.Allowed(), r.Allowed()) {
		d.say(true, "It would also be allowed to reach %s.", p.sentence(f, h, p.sealedFor(f)))
	}
	hosts := func(p content.Profile) (list []string) {
		for _, h := range p.Hosts {
			list = append(list, fmt.Sprint(comparableHosts([]app.Host{h.Host})[0], h.Allowed))
		}
		return list
	}
	granting := p.keysText(f.Keys, p.credentialName) != p.keysText(r.Keys, p.localName) ||
		f.Placement() != r.Placement()
	if granting || !slices.Equal(hosts(f), hosts(r)) {
		d.say(granting, "Its keys, hosts and placement become the file's.")
	}
}

func (p *planner) comparePolicies(d *difference, f content.Profile, here app.Policy) {
	file := p.in.Current(f)
	for _, h := range missing(file.Hosts, here.Hosts) {
		d.say(true, "It would also reach %s.", p.sentence(f, h, p.sealedHosts(file)))
	}
	if less := missing(here.Hosts, file.Hosts); len(less) > 0 {
		d.say(false, "It would no longer reach %s.", app.BriefHosts(less))
	}
	for _, g := range file.Keys {
		i := slices.IndexFunc(here.Keys, func(h app.Grant) bool { return h.Key == g.Key })
		if i < 0 {
			d.say(true, "It would also get the key %s.", g.Key)
			continue
		}
		if more := missing(g.Hosts, here.Keys[i].Hosts); len(more) > 0 {
			d.say(true, "Its key %s would also go to %s.", g.Key, app.BriefHosts(more))
		}
		if less := missing(here.Keys[i].Hosts, g.Hosts); len(less) > 0 {
			d.say(len(g.Hosts) == 0, "Its key %s would no longer go to %s.", g.Key, app.BriefHosts(less))
		}
		if p.credentialName(g.CredentialID) != p.localName(here.Keys[i].CredentialID) {
			d.say(true, "Its key %s would get %s.", g.Key, p.credentialName(g.CredentialID))
		}
	}
	if file.Placement != here.Placement {
		d.say(true, "Its scripts would run elsewhere: %s.", placement(file.Placement))
	}
}

func placement(p app.Placement) string { return cmp.Or(p.String(), "wherever the instance runs them") }

// keysText is a text of keys that is equal if two locked profiles have the same ones.
func (p *planner) keysText(keys []content.Key, name func(string) string) string {
	var lines []string
	for _, k := range keys {
		credential := ""
		if k.Credential != "" {
			credential = name(k.Credential)
		}
		lines = append(lines, content.JSON([]any{k.Name, k.Mode, comparableHosts(k.Hosts), credential}))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
