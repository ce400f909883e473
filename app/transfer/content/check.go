package content

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/instance"
)

const (
	maxShort = 200  // bytes of names of backends, images, labels and the like
	maxHosts = 1000 // allowed and asked for, on one profile
)

var (
	handleShape = regexp.MustCompile(`^[0-9a-z]{1,64}$`)
	labelShape  = regexp.MustCompile(`^[0-9a-f]{1,64}$`)
)

// check applies the rules of forms and the agent API to the file's contents.
//
// Only invisible characters, which older versions accepted, pass: pages mark them. checkRules
// judges what a restore must accept too.
func (in *File) check() error {
	if !labelShape.MatchString(in.Opening.Instance) || len(in.Opening.AskedKeys) > instance.MaxAskedKeys ||
		checkBounds(in.Opening) != nil {
		return Contradiction("the first line", "is not Airlock's", nil)
	}
	if err := app.CheckStored("program", in.Opening.Program, maxShort); err != nil {
		return Contradiction("the first line", "is not Airlock's", err)
	}
	for _, key := range in.Opening.AskedKeys {
		if len(key) != sha256.Size {
			return Contradiction("the first line", "has a malformed key", nil)
		}
	}
	seen := map[string]bool{}
	once := func(kind, name string) bool {
		twice := seen[kind+name]
		seen[kind+name] = true
		return !twice
	}
	for _, c := range in.Credentials {
		if !once("c", c.Name) || !once("i", c.ID) {
			return Contradiction("credential "+app.Clip(c.Name, 60), "is there twice", nil)
		}
		if err := c.check(); err != nil {
			return Contradiction("credential "+app.Clip(c.Name, 60), "is not possible", err)
		}
	}
	for _, p := range in.Profiles {
		if !once("p", p.ID) || !once("h", p.Handle) {
			return Contradiction("profile "+app.Clip(p.Handle, 60), "is there twice", nil)
		}
		if err := in.checkProfile(p); err != nil {
			return Contradiction("profile "+app.Clip(p.Handle, 60), "is not possible", err)
		}
	}
	for handle, versions := range in.Policies {
		if err := checkPolicies(handle, versions); err != nil {
			return Contradiction("the policy of profile "+app.Clip(handle, 60), "is not possible", err)
		}
	}
	return in.checkSkills()
}

// Importable applies the rules of an import. Restores skip them, since older versions may have
// allowed more.
func (in *File) Importable() error {
	if err := in.spare(); err != nil {
		return err
	}
	return in.checkRules()
}

// spare refuses versions that leave no room for the next one. Otherwise every later backup could
// fail.
func (in *File) spare() error {
	for _, c := range in.Credentials {
		if max(int64(c.Version), c.Uses) > MaxCount {
			return Contradiction("credential "+app.Clip(c.Name, 60), "has a count after which there is no room for more", nil)
		}
	}
	for _, p := range in.Profiles {
		if p.Executions > MaxCount {
			return Contradiction("profile "+app.Clip(p.Handle, 60), "has a count after which there is no room for more", nil)
		}
	}
	for handle, versions := range in.Policies {
		if versions[len(versions)-1].Body.Version > MaxCount {
			return Contradiction("the policy of profile "+app.Clip(handle, 60),
				"has a version after which there is no room for more", nil)
		}
	}
	return nil
}

func (c Credential) check() error {
	if !handleShape.MatchString(c.ID) {
		return fmt.Errorf("its id is malformed")
	}
	if err := app.CheckName(c.Name); err != nil {
		return err
	}
	if err := checkBounds(c); err != nil {
		return err
	}
	for name, text := range map[string]string{"description": c.Description, "service": c.Service, "reference": c.Reference,
		"check_error": c.CheckError} {
		if err := app.CheckStored(name, text, 4*app.MaxDescription); err != nil {
			return err
		}
	}
	if _, err := app.ParseMode(string(c.Mode)); err != nil {
		return err
	}
	if err := checkHosts(c.Hosts, app.MaxHosts); err != nil {
		return err
	}
	if places, err := app.CanonicalPlaces(c.Places); err != nil || !slices.Equal(places, c.Places) {
		return fmt.Errorf("its places are malformed")
	}
	if !app.StoredHeaders(c.Headers) {
		return fmt.Errorf("its headers are malformed")
	}
	if c.Source == app.SourceVault {
		if _, err := app.ParseReference(c.Reference); err != nil {
			return err
		}
	}
	switch {
	case c.Mode == app.ModeSealed && len(c.Hosts) == 0:
		return fmt.Errorf("it is sealed and belongs nowhere")
	case c.Source != app.SourceLocal && c.Source != app.SourceVault:
		return fmt.Errorf("its source is not known")
	case c.Source == app.SourceVault && c.Value != nil:
		return fmt.Errorf("it has a value of its own and one elsewhere")
	case c.Value != nil && (c.Version < 1 || len(*c.Value) == 0 || len(*c.Value) > app.MaxValue):
		return fmt.Errorf("its value is not possible")
	case c.Source == app.SourceLocal && c.Value == nil && c.Version != 0, c.Version < 0, len(c.Versions) > 1_000_000:
		return fmt.Errorf("its versions are not possible")
	}
	last := 0
	for _, v := range c.Versions {
		if v.Version <= last || v.Version > c.Version {
			return fmt.Errorf("its versions are not in order")
		}
		if err := errors.Join(checkActor(v.CreatedBy), checkBounds(v)); err != nil {
			return err
		}
		last = v.Version
	}
	if last != c.Version && c.Source == app.SourceLocal {
		return fmt.Errorf("its versions are not complete")
	}
	return nil
}

func (in *File) checkProfile(p Profile) error {
	switch {
	case !app.IsProfileID(p.ID):
		return fmt.Errorf("its id is malformed")
	case !handleShape.MatchString(p.Handle):
		return fmt.Errorf("its handle is malformed")
	case len(p.Keys) > app.MaxKeys, len(p.Hosts) > maxHosts:
		return fmt.Errorf("it has too many keys or hosts")
	case p.Locked != (p.Policy > 0), p.CreatedAt <= 0, p.UpdatedAt <= 0, p.ExpiresAt < 0, p.RevokedAt < 0, p.LockedAt < 0,
		p.ClaimedAt < 0:
		return fmt.Errorf("its state is not possible")
	}
	if err := checkBounds(p); err != nil {
		return err
	}
	if _, err := app.ParseMayRun(p.MayRun); err != nil || p.MayRun == "" {
		return fmt.Errorf("what it may run is not known")
	}
	for name, text := range map[string]string{"description": p.Description, "pairing_code": p.PairingCode,
		"created_from": p.CreatedFrom, "backend": p.Backend, "image": p.Image} {
		if err := app.CheckStored(name, text, 4*app.MaxDescription); err != nil {
			return err
		}
	}
	if err := checkActor(p.CreatedBy); err != nil {
		return err
	}
	names := map[string]bool{}
	for _, k := range p.Keys {
		if names[k.Name] {
			return fmt.Errorf("it has a key twice")
		}
		names[k.Name] = true
		if err := in.checkKey(k); err != nil {
			return err
		}
	}
	entries := map[string]bool{}
	for _, h := range p.Hosts {
		if entries[h.Host.String()] {
			return fmt.Errorf("it has a host twice")
		}
		entries[h.Host.String()] = true
		if err := checkHosts([]app.Host{h.Host}, 1); err != nil {
			return err
		}
		if err := errors.Join(checkActor(h.AskedBy), checkBounds(h)); err != nil {
			return err
		}
	}
	if p.Locked {
		return in.checkLocked(p)
	}
	if len(in.Policies[p.Handle]) > 0 {
		return fmt.Errorf("it has a policy and is not locked")
	}
	return nil
}

func (in *File) checkKey(k Key) error {
	if err := app.CheckName(k.Name); err != nil {
		return err
	}
	if err := errors.Join(app.CheckStored("description", k.Description, app.MaxDescription), checkBounds(k)); err != nil {
		return err
	}
	if k.Mode != "" {
		if _, err := app.ParseMode(string(k.Mode)); err != nil {
			return err
		}
	}
	if _, known := in.Credential(k.Credential); k.Credential != "" && !known {
		return fmt.Errorf("its key %s refers to a credential that is not in the file", k.Name)
	}
	return checkHosts(k.Hosts, app.MaxHosts)
}

// checkLocked checks that the current policy matches the profile's page.
func (in *File) checkLocked(p Profile) error {
	policy, versions := in.Current(p), in.Policies[p.Handle]
	if policy.Version != p.Policy || versions[len(versions)-1].Body.Version != p.Policy ||
		len(policy.Keys) != len(p.Keys) {
		return fmt.Errorf("its policy is missing, not the last one or grants other keys")
	}
	for _, g := range policy.Keys {
		i := slices.IndexFunc(p.Keys, func(k Key) bool { return k.Name == g.Key })
		if i < 0 || p.Keys[i].Credential != "" && p.Keys[i].Credential != g.CredentialID {
			return fmt.Errorf("its policy grants another key than it has")
		}
	}
	if policy.Placement != p.Placement() {
		return fmt.Errorf("its policy runs elsewhere than it says")
	}
	return nil
}

func checkPolicies(handle string, versions []Policy) error {
	if !handleShape.MatchString(handle) {
		return fmt.Errorf("the handle is malformed")
	}
	last := 0
	for _, v := range versions {
		if v.Body.Version <= last || v.Digest != v.Body.Digest() {
			return fmt.Errorf("version %d is out of order or not what its digest says", v.Body.Version)
		}
		last = v.Body.Version
		if len(v.Body.Keys) > app.MaxKeys {
			return fmt.Errorf("it grants too many keys")
		}
		if err := errors.Join(checkActor(v.CreatedBy), checkBounds(v), checkBounds(v.Body)); err != nil {
			return err
		}
		if err := checkHosts(v.Body.Hosts, app.MaxHosts); err != nil {
			return err
		}
		for _, g := range v.Body.Keys {
			if err := app.CheckName(g.Key); err != nil {
				return err
			}
			if _, err := app.ParseMode(string(g.Mode)); err != nil {
				return err
			}
			if err := checkHosts(g.Hosts, app.MaxHosts*app.MaxHosts); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkHosts accepts entries in the one form that is stored.
func checkHosts(list []app.Host, most int) error {
	if len(list) > most {
		return fmt.Errorf("it has more than %d hosts", most)
	}
	for _, h := range list {
		canonical, err := h.Canonical()
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(canonical, h) {
			return fmt.Errorf("the host %s is malformed", app.Clip(h.Name, 60))
		}
	}
	return nil
}

func checkActor(a app.Actor) error {
	switch a.Kind {
	case "", app.ActorAgent, app.ActorPerson, app.ActorCommand, app.ActorSystem:
	default:
		return fmt.Errorf("it names an unknown kind of actor")
	}
	if err := app.CheckStored("actor", a.Name, maxShort*4); err != nil {
		return err
	}
	return app.CheckStored("actor", a.Address, maxShort)
}

var pairingShape = regexp.MustCompile(`^[0-9a-z]{3}-[0-9a-z]{3}$`)

// checkRules refuses settings that no form accepts, and grants that no page would show.
func (in *File) checkRules() error {
	for _, c := range in.Credentials {
		if err := c.checkRules(); err != nil {
			return brokenRule("credential "+app.Clip(c.Name, 60), err)
		}
	}
	for _, p := range in.Profiles {
		if err := p.checkRules(); err != nil {
			return brokenRule("profile "+app.Clip(p.Handle, 60), err)
		}
		if p.Locked && !app.SameHosts(app.WithoutReasons(in.Current(p).Hosts), app.WithoutReasons(p.Allowed())) {
			return Contradiction("the policy of profile "+app.Clip(p.Handle, 60),
				"grants other hosts than its page would show", nil)
		}
	}
	return nil
}

func (c Credential) checkRules() error {
	if c.Value != nil {
		if err := app.CheckValue(c.Mode, app.NewSecret(*c.Value)); err != nil {
			return err
		}
	}
	if _, err := app.CanonicalHeaders(c.Headers); err != nil {
		return err
	}
	for _, h := range c.Hosts {
		if err := h.CheckReachable(); err != nil {
			return err
		}
		if h.KeyReference() != "" {
			return app.Invalid("hosts", fmt.Sprintf("a credential can't belong to %s", h), "Write the host name itself.")
		}
	}
	return nil
}

func (p Profile) checkRules() error {
	if p.PairingCode != "" && !pairingShape.MatchString(p.PairingCode) {
		return app.Invalid("pairing_code", "its pairing code is not one of Airlock's", "Leave it out.")
	}
	for _, h := range p.Hosts {
		if err := h.Host.CheckReachable(); err != nil {
			return err
		}
		if h.AskedBy.Kind != app.ActorAgent || h.Allowed { // what is allowed, a person chose
			continue
		}
		if err := h.Host.CheckAskable(); err != nil {
			return err
		}
	}
	return nil
}

// Allowed are the hosts that people allowed.
func (p Profile) Allowed() (hosts []app.Host) {
	for _, h := range p.Hosts {
		if h.Allowed {
			hosts = append(hosts, h.Host)
		}
	}
	return hosts
}
