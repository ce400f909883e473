package transfer

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/policy"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

// State compares a thing in a file with this instance.
type State string

// The states.
const (
	StateNew      State = "new"      // not here
	StateSame     State = "same"     // here, and alike
	StateConflict State = "conflict" // here, and different: may be overwritten
	StateBlocked  State = "blocked"  // here, and can't be overwritten: Changes says why
)

// Item is a credential, a profile or a skill of a file.
type Item struct {
	Key     string // names it in a Choice, such as credential:STRIPE_KEY
	Kind    string // "credential", "profile" or "skill"
	Name    string // of the credential or skill; handle of the profile
	Title   string // description of a profile
	State   State
	Facts   []string // what it is, one sentence each: of new ones, and of what would be overwritten
	Changes []string // what overwriting would change, or why it can't be done; what a yes to a new one means besides
	Widens  bool     // a yes would let some profile do more than it can here now: it needs one of its own
}

// Plan describes what an import would do at the moment when the plan was made.
type Plan struct {
	Instance string // label of the instance that made the file
	Program  string
	MadeAt   int64 // unix milliseconds
	Own      bool  // made by this instance
	Whole    bool  // everything that instance had, not a selection
	Items    []Item
	File     content.Counts // all that is in the file
	Here     int64          // executions of it that are here already
	Events   int64          // of the other instance's audit log
	Bytes    int64          // unpacked
	// of the items and of the whole file: an import of another plan than the one that was looked at is
	// refused
	Digest string
}

// Count returns how many items of a kind have a state.
func (p Plan) Count(kind string, state State) (n int) {
	for _, i := range p.Items {
		if i.Kind == kind && i.State == state {
			n++
		}
	}
	return n
}

// Choice is a person's decision about a plan.
type Choice struct {
	Overwrite bool            // what differs, as long as it widens nothing
	Each      map[string]bool // by Item.Key: yes or no for one item, whatever else is chosen
	History   bool
}

// takes reports whether an item is written.
func (c Choice) takes(i Item) bool {
	if i.State == StateSame || i.State == StateBlocked {
		return false
	}
	if yes, said := c.Each[i.Key]; said {
		return yes
	}
	return !i.Widens && (i.State == StateNew || c.Overwrite)
}

// Left are the keys of what differs from the file, or is not here, and is not written.
func (c Choice) Left(p Plan) (left []string) {
	for _, i := range p.Items {
		if i.State != StateSame && !c.takes(i) {
			left = append(left, i.Key)
		}
	}
	return left
}

// planner compares a file with the store.
type planner struct {
	in    *content.File
	ring  *secrets.Keyring
	tx    *store.Tx
	items []Item

	here     map[string]content.Credential // by name
	names    map[string]string             // of the credentials here, by id
	state    map[string]State              // of the file's credentials, by id
	profiles map[string]content.Profile    // here, by handle
	byID     map[string]string             // handles of the profiles here, by lookup
	gone     map[string]lastPolicy         // of locked profiles that were here and were deleted, by handle
	dangling map[string]struct{}           // ids of credentials that policies here name and that are not here
	skills   map[string]content.Skill      // by name, also deleted ones
}

// lastPolicy is the newest version of a policy.
type lastPolicy struct {
	version int
	digest  string
}

// plan compares in one transaction.
func plan(ctx context.Context, tx *store.Tx, ring *secrets.Keyring, in *content.File) (*planner, error) {
	p := &planner{in: in, ring: ring, tx: tx, here: map[string]content.Credential{}, names: map[string]string{},
		state: map[string]State{}, profiles: map[string]content.Profile{}, byID: map[string]string{},
		gone: map[string]lastPolicy{}, dangling: map[string]struct{}{}, skills: map[string]content.Skill{}}
	if err := p.look(ctx); err != nil {
		return nil, err
	}
	for _, c := range in.Credentials {
		item, err := p.credential(ctx, c)
		if err != nil {
			return nil, err
		}
		p.items = append(p.items, item)
	}
	for _, f := range in.Profiles {
		item, err := p.profile(ctx, f)
		if err != nil {
			return nil, err
		}
		p.items = append(p.items, item)
	}
	for _, s := range in.Skills {
		if s.DeletedAt == 0 { // only a restore keeps the record of others
			p.items = append(p.items, p.skill(s))
		}
	}
	return p, nil
}

// look reads the credentials, profiles, policies and skills of this instance.
func (p *planner) look(ctx context.Context) error {
	credentials, err := p.tx.Credentials.Rows(ctx)
	if err != nil {
		return err
	}
	for _, row := range credentials {
		if p.here[row.Name], err = content.OpenCredential(ctx, p.tx, p.ring, row); err != nil {
			return err
		}
		p.names[row.ID] = row.Name
	}
	profiles, err := p.tx.Profiles.Rows(ctx)
	if err != nil {
		return err
	}
	for _, row := range profiles {
		if p.profiles[row.Handle], err = content.OpenProfile(ctx, p.tx, p.ring, row); err != nil {
			return err
		}
		p.byID[string(row.Lookup)] = row.Handle
	}
	if err := p.lookAtSkills(ctx); err != nil {
		return err
	}
	return p.lookAtPolicies(ctx)
}

// lookAtPolicies finds deleted profiles and credentials: policies outlive them.
func (p *planner) lookAtPolicies(ctx context.Context) error {
	return p.tx.Policies.Each(ctx, func(row store.PolicyRow) error {
		if _, here := p.profiles[row.ProfileHandle]; !here {
			p.gone[row.ProfileHandle] = lastPolicy{row.Version, row.Digest} // they come in order
		}
		version, err := content.OpenPolicy(row)
		if err != nil {
			return err
		}
		for _, g := range version.Body.Keys {
			if _, here := p.names[g.CredentialID]; !here {
				p.dangling[g.CredentialID] = struct{}{}
			}
		}
		return nil
	})
}

// local returns the profile here that has the file's id.
func (p *planner) local(f content.Profile) (content.Profile, bool) {
	handle, ok := p.byID[string(p.ring.Lookup(secrets.Profiles, f.ID))]
	return p.profiles[handle], ok
}

// digest identifies what a person was shown, what the file arranges and what is here to be
// overwritten, values too: it is keyed, so it tells nothing about them.
func (p *planner) digest() string {
	sum := hmac.New(sha256.New, p.ring.LookupKey(secrets.Settings))
	enc := json.NewEncoder(sum)
	add := func(parts ...any) {
		for _, part := range parts {
			if err := enc.Encode(part); err != nil {
				panic(fmt.Sprintf("transfer: %T is always encodable: %v", part, err))
			}
		}
	}
	add(p.items, p.in.Policies)
	for _, c := range p.in.Credentials {
		here := p.here[c.Name]
		add(c, here.ID, here.Version, here.UpdatedAt)
	}
	for _, f := range p.in.Profiles {
		here, _ := p.local(f)
		add(f, here.Handle, here.Policy, here.UpdatedAt)
	}
	for _, s := range p.in.Skills {
		add(s, p.skills[s.Name])
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func (p *planner) credential(ctx context.Context, c content.Credential) (Item, error) {
	item := Item{Key: "credential:" + c.Name, Kind: "credential", Name: c.Name, State: StateNew, Facts: credentialFacts(c)}
	if c.Source == app.SourceVault { // its maker needs no more than a path to name what this instance may read there
		item.Changes, item.Widens = []string{"Its value would be read from the Vault of this instance: " + c.Reference + "."},
			true
	}
	if here, ok := p.here[c.Name]; ok {
		item.Changes, item.Widens = credentialChanges(c, here)
		redirects, err := p.redirects(ctx, c, here)
		if err != nil {
			return item, err
		}
		if redirects != "" {
			item.Changes, item.Widens = append(item.Changes, redirects), true
		}
		item.State = StateConflict
		switch why := credentialUnfit(c, here); {
		case why != "":
			item.State, item.Changes, item.Widens = StateBlocked, []string{why}, false
		case len(item.Changes) == 0:
			item.State = StateSame
		}
	}
	p.state[c.ID] = item.State
	return item, nil
}

// redirects says which locked profiles here would reach another host: a plain value is part of
// every grant that refers to it.
func (p *planner) redirects(ctx context.Context, c, here content.Credential) (string, error) {
	if c.Value == nil && c.Source == here.Source {
		c.Value = here.Value
	}
	becomes := hostNamed(c)
	if becomes == "" {
		return "", nil
	}
	return policy.ReachedThrough(ctx, p.tx, here.ID, hostNamed(here), becomes)
}

func hostNamed(c content.Credential) string {
	if c.Value == nil {
		return ""
	}
	return policy.HostNamed(c.Mode, app.NewSecret(*c.Value))
}

func (p *planner) profile(ctx context.Context, f content.Profile) (Item, error) {
	item := Item{Key: "profile:" + f.Handle, Kind: "profile", Name: f.Handle, Title: f.Description, State: StateNew,
		Facts: p.facts(f)}
	here, ok := p.local(f)
	if !ok {
		if _, taken := p.profiles[f.Handle]; taken {
			item.State, item.Changes = StateBlocked, []string{"Another profile here has the same handle."}
			return item, nil
		}
		item.Changes = p.borrowed(f)
		_, deleted := p.gone[f.Handle]
		if deleted && !f.Locked {
			item.State, item.Changes = StateBlocked,
				[]string{"It was locked here and then deleted; the file has it from before that. What was locked never becomes " +
					"open again."}
			return item, nil
		}
		if deleted && !f.Revoked {
			item.Changes = append(item.Changes, "It was here and was deleted. It would come back, and its id would work again.")
		}
		item.Widens = len(item.Changes) > 0
		return item, nil
	}
	if here.Handle != f.Handle {
		item.State, item.Changes = StateBlocked, []string{"The same id belongs to another profile here."}
		return item, nil
	}
	d, err := p.compare(ctx, f, here)
	if err != nil {
		return item, err
	}
	item.Changes, item.Widens = d.changes, d.widens
	switch {
	case d.blocked != "":
		item.State, item.Changes, item.Widens = StateBlocked, []string{d.blocked}, false
	case len(d.changes) > 0:
		item.State = StateConflict
	default:
		item.State = StateSame
	}
	return item, nil
}

// borrowed says which keys would get a credential of this instance whose value the file doesn't
// know: whoever holds the profile's id would get at it. Keys and grants are looked at both, since
// what scripts get is what the policy grants.
func (p *planner) borrowed(f content.Profile) (said []string) {
	say := func(key, id string) {
		c, ok := p.in.Credential(id)
		if !ok || p.state[id] == StateNew || p.state[id] == StateSame && c.Value != nil {
			return
		}
		line := fmt.Sprintf("Its key %s would get the credential %s of this instance, or what you choose for it here.", key,
			c.Name)
		if !slices.Contains(said, line) {
			said = append(said, line)
		}
	}
	for _, k := range f.Keys {
		say(k.Name, k.Credential)
	}
	for _, g := range p.in.Current(f).Keys {
		say(g.Key, g.CredentialID)
	}
	return said
}

// comparableHosts returns hosts in the order and form in which they are compared: why they were asked
// for doesn't matter.
func comparableHosts(list []app.Host) []string {
	out := make([]string, len(list))
	for i, h := range list {
		h.Reason = ""
		out[i] = content.JSON(h)
	}
	return out
}
