package transfer

import (
	"context"
	"fmt"
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

// State compares a thing in a file with this instance.
type State string

// The states.
const (
	StateNew       State = "new"       // not here
	StateSame      State = "same"      // here, and alike
	StateDifferent State = "different" // here, and different: may be overwritten
	StateBlocked   State = "blocked"   // can't be written: Why says it
)

// Item is a credential, a profile or a skill of a file.
type Item struct {
	Key    string // names it in a Choice, such as credential:STRIPE_KEY
	Kind   string // "credential", "profile" or "skill"
	Name   string // of the credential or skill; handle of the profile
	Title  string // description of a profile
	State  State
	Fields []Field  // all of a new item, else those that differ
	Why    []string // it can't be written, or needs a yes though it is new
	Asks   bool     // it is written only with a yes to it
	seen   string   // version of what is here
}

// Plan describes an import as of the plan's time.
type Plan struct {
	Instance string // label of the instance that made the file
	Program  string
	MadeAt   int64 // unix milliseconds
	Own      bool  // made by this instance
	Whole    bool  // everything that instance had, not a selection
	Items    []Item
	File     content.Counts // all that is in the file
	Bytes    int64          // unpacked
}

// Choice is a person's decision about a plan.
type Choice struct {
	Each    map[string]bool // by Item.Key: yes or no; without either, an item is taken unless it Asks
	History bool
}

// takes reports whether an item is written.
func (c Choice) takes(i Item) bool {
	if i.State != StateNew && i.State != StateDifferent {
		return false
	}
	if yes, said := c.Each[i.Key]; said {
		return yes
	}
	return !i.Asks
}

// ListLeft returns the keys of differing or new items that are not written.
func (c Choice) ListLeft(p Plan) (left []string) {
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
	byKey map[string]int // of items

	here     map[string]content.Credential // by name
	names    map[string]string             // of the credentials here, by id
	state    map[string]State              // of the file's credentials, by id
	profiles map[string]content.Profile    // here, by handle
	byID     map[string]string             // handles of the profiles here, by lookup
	gone     map[string]int                // last policies of locked profiles that were deleted here, by handle
	dangling map[string]bool               // ids of credentials that policies here name and that are not here
	skills   map[string]content.Skill      // by name, also deleted ones
}

// plan compares in one transaction.
func plan(ctx context.Context, tx *store.Tx, ring *secrets.Keyring, in *content.File) (*planner, error) {
	p := &planner{in: in, ring: ring, tx: tx, byKey: map[string]int{}, here: map[string]content.Credential{},
		names: map[string]string{}, state: map[string]State{}, profiles: map[string]content.Profile{},
		byID: map[string]string{}, gone: map[string]int{}, dangling: map[string]bool{}, skills: map[string]content.Skill{}}
	if err := p.look(ctx); err != nil {
		return nil, err
	}
	for _, c := range in.Credentials {
		p.add(p.credential(c))
	}
	for _, f := range in.Profiles {
		item, err := p.profile(ctx, f)
		if err != nil {
			return nil, err
		}
		p.add(item)
	}
	for _, s := range in.Skills {
		if s.DeletedAt == 0 { // only a restore keeps the record of others
			p.add(p.skill(s))
		}
	}
	return p, nil
}

func (p *planner) add(i Item) {
	p.byKey[i.Key] = len(p.items)
	p.items = append(p.items, i)
}

// item returns the item with a key. It is zero for a skill that the file has as deleted.
func (p *planner) item(key string) Item {
	if i, ok := p.byKey[key]; ok {
		return p.items[i]
	}
	return Item{}
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
	skills, err := p.tx.Skills.Rows(ctx)
	if err != nil {
		return err
	}
	for _, row := range skills {
		if p.skills[row.Name], _, err = content.OpenSkill(ctx, p.tx, row); err != nil {
			return err
		}
	}
	return p.tx.Policies.Each(ctx, func(row store.PolicyRow) error {
		if _, here := p.profiles[row.ProfileHandle]; !here { // policies outlive their profile, and come in order
			p.gone[row.ProfileHandle] = row.Version
		}
		version, err := content.OpenPolicy(row)
		for _, g := range version.Body.Keys {
			_, here := p.names[g.CredentialID]
			p.dangling[g.CredentialID] = !here
		}
		return err
	})
}

// local returns the profile here that has the file's id.
func (p *planner) local(f content.Profile) (content.Profile, bool) {
	handle, ok := p.byID[string(p.ring.Lookup(secrets.Profiles, f.ID))]
	return p.profiles[handle], ok
}

// judge fills in an item's fields, its local state, and whether it needs a yes.
func (i Item) judge(exists bool, here, file []fact, blocked string) Item {
	i.State, i.Fields = StateNew, diff(here, file)
	switch {
	case blocked != "":
		i.State, i.Fields, i.Why = StateBlocked, nil, []string{blocked}
	case exists && len(i.Fields) == 0:
		i.State, i.Why = StateSame, nil
	case exists:
		i.State = StateDifferent
	}
	i.Asks = i.State == StateDifferent || i.State == StateNew && len(i.Why) > 0
	return i
}

func (p *planner) credential(c content.Credential) Item {
	here, exists := p.here[c.Name]
	item := Item{Key: "credential:" + c.Name, Kind: "credential", Name: c.Name,
		seen: fmt.Sprint(here.ID, here.Version, here.UpdatedAt)}
	if !exists {
		if c.Source == app.SourceVault { // a path is all that its maker needs to know
			item.Why = []string{"This instance would read it from its Vault."}
		}
		item = item.judge(false, nil, credentialFacts(c), "")
		p.state[c.ID] = item.State
		return item
	}
	was, becomes := credentialFacts(here), credentialFacts(c)
	if c.Value != nil && !sameValue(c, here) { // a file without a value takes none away
		was, becomes = append(was, fact{name: "Value", text: "that of this instance"}),
			append(becomes, fact{name: "Value", text: "that of the file"})
	}
	item = item.judge(true, was, becomes, unfitValue(c, here))
	p.state[c.ID] = item.State
	return item
}

// unfitValue says why the local credential can't take the file's settings with its own value. It is
// "" if it can.
func unfitValue(c, here content.Credential) string {
	switch {
	case c.Source != app.SourceLocal || c.Value != nil:
		return ""
	case here.Source == app.SourceVault && here.Version > 0:
		return "Its value here is read from Vault, and the file holds none."
	case here.Value != nil && app.CheckValue(c.Mode, app.NewSecret(*here.Value)) != nil:
		return "Its value here can't be " + string(c.Mode) + ", and the file holds no other."
	}
	return ""
}

func (p *planner) profile(ctx context.Context, f content.Profile) (Item, error) {
	here, exists := p.local(f)
	item := Item{Key: "profile:" + f.Handle, Kind: "profile", Name: f.Handle, Title: f.Description,
		seen: fmt.Sprint(here.Policy, here.UpdatedAt)}
	blocked := p.blockReason(f, here, exists)
	if blocked != "" || exists && here.Revoked {
		return item.judge(exists, nil, nil, blocked), nil
	}
	facts := profileFacts(f, p.in.Current(f), p.in.Credential)
	if !exists || !here.Locked && f.Locked {
		item.Why = p.borrowedKeys(f)
	}
	if !exists {
		if _, deleted := p.gone[f.Handle]; deleted && !f.Revoked {
			item.Why = append(item.Why, "It was deleted here. It would come back, and its id would work again.")
		}
		return item.judge(false, nil, facts, ""), nil
	}
	var policy app.Policy
	if here.Locked {
		var err error
		if policy, err = p.tx.Policies.Version(ctx, here.Handle, here.Policy); err != nil {
			return item, err
		}
	}
	return item.judge(true, profileFacts(here, policy, p.credentialHere), facts, ""), nil
}

// blockReason says why a profile of the file can't be written by any choice; "" if it can. Revoked
// profiles stay revoked, locked ones keep their lock and keys, and an id stays its profile's.
func (p *planner) blockReason(f, here content.Profile, exists bool) string {
	_, taken := p.profiles[f.Handle]
	_, deleted := p.gone[f.Handle]
	switch {
	case !exists && taken:
		return "Another profile here has the same handle."
	case !exists && deleted && !f.Locked:
		return "It was locked here and then deleted. What was locked never becomes open again."
	case !exists:
		return ""
	case here.Handle != f.Handle:
		return "The same id belongs to another profile here."
	case here.Revoked && !f.Revoked:
		return "It is revoked here, and stays so."
	case here.Revoked:
		return ""
	case here.Locked && !f.Locked:
		return "It is locked here, and stays so."
	case here.Locked && keysText(f.Keys, p.in.Credential) != keysText(here.Keys, p.credentialHere):
		return "Its keys differ, and the keys of a locked profile never change. " +
			"Delete it here first if the file's is the right one."
	}
	return ""
}

// credentialHere is the side of this instance.
func (p *planner) credentialHere(id string) (content.Credential, bool) {
	name, ok := p.names[id]
	return p.here[name], ok
}

// borrowedKeys returns keys that would get a local credential whose value the file doesn't know.
// The file's maker knows the profile's id, and would get at the value. Keys and grants both count,
// since scripts get what the policy grants.
func (p *planner) borrowedKeys(f content.Profile) (said []string) {
	say := func(key, id string) {
		c, ok := p.in.Credential(id)
		if !ok || p.state[id] == StateNew || p.state[id] == StateSame && c.Value != nil {
			return
		}
		line := fmt.Sprintf("Its key %s would get the credential %s of this instance.", key, c.Name)
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

// skill compares a skill of the file with the merged local one.
func (p *planner) skill(f content.Skill) Item {
	item := Item{Key: "skill:" + f.Name, Kind: "skill", Name: f.Name}
	here := p.skills[f.Name]
	exists := here.ID != 0 && here.DeletedAt == 0
	if exists {
		return item.judge(true, skillFacts(here, p.profileTitle), skillFacts(p.mergedSkill(f, here), p.profileTitle), "")
	}
	if here.ID != 0 {
		item.Why = []string{"It was deleted here. It would come back."}
	}
	for _, g := range f.Profiles {
		if p.isHere(g.Profile) {
			item.Why = append(item.Why, "The profile "+p.profileTitle(g.Profile)+" of this instance could run it.")
		}
	}
	return item.judge(false, nil, skillFacts(f, p.profileTitle), "")
}

// mergedSkill returns the local skill after an import. It approves no revoked version and switches
// no skill on.
func (p *planner) mergedSkill(f, here content.Skill) content.Skill {
	after := here
	after.Enabled = here.Enabled && f.Enabled
	after.Versions, after.Profiles = slices.Clone(here.Versions), slices.Clone(here.Profiles)
	for _, v := range f.Versions {
		i := slices.IndexFunc(after.Versions,
			func(h content.SkillVersion) bool { return h.Kept && h.Digest == v.Digest })
		switch {
		case !v.Kept:
		case i < 0:
			after.Versions = append(after.Versions, v)
		case decides(after.Versions[i], v):
			after.Versions[i].State = v.State
		}
	}
	for _, g := range f.Profiles {
		if p.isHere(g.Profile) && !here.Allows(g.Profile) {
			after.Profiles = append(after.Profiles, g)
		}
	}
	return after
}

// decides reports whether the file's decision about a version counts here.
func decides(here, file content.SkillVersion) bool {
	return skills.State(here.State) != skills.Revoked && skills.State(file.State) != skills.Quarantined &&
		here.State != file.State
}

// isHere reports whether a profile of the file is here under its own handle.
func (p *planner) isHere(handle string) bool {
	i := slices.IndexFunc(p.in.Profiles, func(f content.Profile) bool { return f.Handle == handle })
	if i < 0 {
		return false
	}
	here, ok := p.local(p.in.Profiles[i])
	return ok && here.Handle == handle
}

// profileTitle returns a profile's name for people.
func (p *planner) profileTitle(handle string) string {
	if here, ok := p.profiles[handle]; ok && here.Description != "" {
		return app.Clip(here.Description, 200)
	}
	return handle
}
