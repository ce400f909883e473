package content

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/store"
)

const (
	maxShort = 200  // bytes of names of backends, images, labels and the like
	maxHosts = 1000 // allowed and asked for, on one profile
)

var (
	handleShape  = regexp.MustCompile(`^[0-9a-z]{1,64}$`)
	labelShape   = regexp.MustCompile(`^[0-9a-f]{1,64}$`)
	pairingShape = regexp.MustCompile(`^[0-9a-z]{3}-[0-9a-z]{3}$`)
	skillName    = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	digestShape  = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
)

// refuse is an error that says why, if something is bad.
func refuse(bad bool, why string) error {
	if bad {
		return errors.New(why)
	}
	return nil
}

// check applies the rules of forms and the agent API to the file's contents.
//
// A restore skips the rules that other versions may have had otherwise: a backup must come back.
// Invisible characters pass always: pages mark them.
func (in *File) check(importing bool) error {
	if err := in.Opening.check(); err != nil {
		return Contradiction("the first line", "is not Airlock's", err)
	}
	seen := map[string]bool{}
	judge := func(kind, name string, check, rules func() error, ids ...string) error {
		what := kind + " " + app.Clip(name, 64)
		for _, id := range ids {
			if seen[kind+id] {
				return Contradiction(what, "is there twice", nil)
			}
			seen[kind+id] = true
		}
		if err := check(); err != nil {
			return Contradiction(what, "is not possible", err)
		}
		if err := rules(); importing && err != nil {
			return brokenRule(what, err)
		}
		return nil
	}
	none := func() error { return nil }
	for _, c := range in.Credentials {
		if err := judge("credential", c.Name, c.check, c.checkRules, "name "+c.Name, "id "+c.ID); err != nil {
			return err
		}
	}
	for _, p := range in.Profiles {
		check, rules := func() error { return in.checkProfile(p) }, func() error { return in.checkProfileRules(p) }
		if err := judge("profile", p.Handle, check, rules, p.ID, p.Handle); err != nil {
			return err
		}
	}
	for handle, versions := range in.Policies {
		check := func() error { return checkPolicies(handle, versions) }
		if err := judge("the policy of profile", handle, check, none); err != nil {
			return err
		}
	}
	for _, s := range in.Skills {
		if err := judge("skill", s.Name, func() error { return in.checkSkill(s) }, none, s.Name); err != nil {
			return err
		}
	}
	return nil
}

func (o Opening) check() error {
	malformed := func(key []byte) bool { return len(key) != sha256.Size }
	return errors.Join(
		refuse(!labelShape.MatchString(o.Instance), "its label is malformed"),
		refuse(len(o.AskedKeys) > instance.MaxAskedKeys || slices.ContainsFunc(o.AskedKeys, malformed),
			"its keys are malformed"),
		app.CheckStored("program", o.Program, maxShort))
}

// checkTexts refuses texts that no page can show.
func checkTexts(most int, texts map[string]string) error {
	for name, text := range texts {
		if err := app.CheckStored(name, text, most); err != nil {
			return err
		}
	}
	return nil
}

func (c Credential) check() error {
	_, mode := app.ParseMode(string(c.Mode))
	places, err := app.CanonicalPlaces(c.Places)
	err = errors.Join(err, mode, app.CheckName(c.Name), checkHosts(c.Hosts, app.MaxHosts),
		checkTexts(4*app.MaxDescription, map[string]string{"description": c.Description, "service": c.Service,
			"reference": c.Reference, "check_error": c.CheckError}),
		refuse(!handleShape.MatchString(c.ID), "its id is malformed"),
		refuse(!slices.Equal(places, c.Places), "its places are malformed"),
		refuse(!app.StoredHeaders(c.Headers), "its headers are malformed"),
		refuse(c.Mode == app.ModeSealed && len(c.Hosts) == 0, "it is sealed and belongs nowhere"),
		refuse(c.Source != app.SourceLocal && c.Source != app.SourceVault, "its source is not known"),
		refuse(c.Source == app.SourceVault && c.Value != nil, "it has a value of its own and one elsewhere"),
		refuse(c.Value != nil && (c.Version < 1 || len(*c.Value) == 0 || len(*c.Value) > app.MaxValue),
			"its value is not possible"),
		refuse(c.Source == app.SourceLocal && c.Value == nil && c.Version != 0 || c.Version < 0,
			"its versions are not possible"))
	if c.Source == app.SourceVault {
		_, reference := app.ParseReference(c.Reference)
		err = errors.Join(err, reference)
	}
	last := 0
	for _, v := range c.Versions {
		if v.Version <= last || v.Version > c.Version {
			return errors.New("its versions are not in order")
		}
		err, last = errors.Join(err, checkActor(v.CreatedBy)), v.Version
	}
	return errors.Join(err, refuse(last != c.Version && c.Source == app.SourceLocal, "its versions are not complete"))
}

func (c Credential) checkRules() error {
	_, err := app.CanonicalHeaders(c.Headers)
	if c.Value != nil {
		err = errors.Join(app.CheckValue(c.Mode, app.NewSecret(*c.Value)), err)
	}
	for _, h := range c.Hosts {
		if h.KeyReference() != "" {
			return app.Invalid("hosts", fmt.Sprintf("a credential can't belong to %s", h), "Write the host name itself.")
		}
		err = errors.Join(err, h.CheckReachable())
	}
	return err
}

func (in *File) checkProfile(p Profile) error {
	_, mayRun := app.ParseMayRun(p.MayRun)
	err := errors.Join(mayRun, checkActor(p.CreatedBy),
		checkTexts(4*app.MaxDescription, map[string]string{"description": p.Description, "pairing_code": p.PairingCode,
			"created_from": p.CreatedFrom, "backend": p.Backend, "image": p.Image}),
		refuse(!app.IsProfileID(p.ID) || !handleShape.MatchString(p.Handle), "its id or handle is malformed"),
		refuse(p.MayRun == "", "what it may run is not known"),
		refuse(len(p.Keys) > app.MaxKeys || len(p.Hosts) > maxHosts, "it has too many keys or hosts"),
		refuse(p.Locked != (p.Policy > 0) || p.CreatedAt <= 0 || p.UpdatedAt <= 0, "its state is not possible"),
		refuse(!p.Locked && len(in.Policies[p.Handle]) > 0, "it has a policy and is not locked"))
	twice := map[string]bool{}
	for _, k := range p.Keys {
		err = errors.Join(err, refuse(twice[k.Name], "it has a key twice"), in.checkKey(k))
		twice[k.Name] = true
	}
	for _, h := range p.Hosts {
		entry := "host " + h.Host.String()
		err = errors.Join(err, refuse(twice[entry], "it has a host twice"), checkHosts([]app.Host{h.Host}, 1),
			checkActor(h.AskedBy))
		twice[entry] = true
	}
	if p.Locked {
		err = errors.Join(err, in.checkLocked(p))
	}
	return err
}

func (in *File) checkKey(k Key) error {
	err := errors.Join(app.CheckName(k.Name), app.CheckStored("description", k.Description, app.MaxDescription),
		checkHosts(k.Hosts, app.MaxHosts))
	if k.Mode != "" {
		_, mode := app.ParseMode(string(k.Mode))
		err = errors.Join(err, mode)
	}
	_, known := in.Credential(k.Credential)
	return errors.Join(err, refuse(k.Credential != "" && !known, "a key refers to a credential that is not in the file"))
}

// checkLocked checks that the current policy matches the profile's page.
func (in *File) checkLocked(p Profile) error {
	policy, versions := in.Current(p), in.Policies[p.Handle]
	if policy.Version != p.Policy || versions[len(versions)-1].Body.Version != p.Policy ||
		len(policy.Keys) != len(p.Keys) {
		return errors.New("its policy is missing, not the last one or grants other keys")
	}
	for _, g := range policy.Keys {
		i := slices.IndexFunc(p.Keys, func(k Key) bool { return k.Name == g.Key })
		if i < 0 || p.Keys[i].Credential != "" && p.Keys[i].Credential != g.CredentialID {
			return errors.New("its policy grants another key than it has")
		}
	}
	return refuse(policy.Placement != p.Placement(), "its policy runs elsewhere than it says")
}

// checkProfileRules refuses settings that no form accepts, and grants that no page would show.
func (in *File) checkProfileRules(p Profile) error {
	if p.PairingCode != "" && !pairingShape.MatchString(p.PairingCode) {
		return app.Invalid("pairing_code", "its pairing code is not one of Airlock's", "Leave it out.")
	}
	for _, h := range p.Hosts {
		err := h.Host.CheckReachable()
		if err == nil && h.AskedBy.Kind == app.ActorAgent && !h.Allowed { // what is allowed, a person chose
			err = h.Host.CheckAskable()
		}
		if err != nil {
			return err
		}
	}
	if p.Locked && !app.SameHosts(app.WithoutReasons(in.Current(p).Hosts), app.WithoutReasons(p.AllowedHosts())) {
		return app.Invalid("hosts", "its policy grants other hosts than its page would show", "Leave it out.")
	}
	return nil
}

// AllowedHosts are the hosts that people allowed.
func (p Profile) AllowedHosts() (hosts []app.Host) {
	for _, h := range p.Hosts {
		if h.Allowed {
			hosts = append(hosts, h.Host)
		}
	}
	return hosts
}

func checkPolicies(handle string, versions []Policy) error {
	err := refuse(!handleShape.MatchString(handle), "the handle is malformed")
	last := 0
	for _, v := range versions {
		if v.Body.Version <= last || v.Digest != v.Body.Digest() {
			return fmt.Errorf("version %d is out of order or not what its digest says", v.Body.Version)
		}
		last = v.Body.Version
		err = errors.Join(err, refuse(len(v.Body.Keys) > app.MaxKeys, "it grants too many keys"), checkActor(v.CreatedBy),
			checkHosts(v.Body.Hosts, app.MaxHosts))
		for _, g := range v.Body.Keys {
			_, mode := app.ParseMode(string(g.Mode))
			err = errors.Join(err, mode, app.CheckName(g.Key), checkHosts(g.Hosts, app.MaxHosts*app.MaxHosts))
		}
	}
	return err
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
		return checkTexts(maxShort*4, map[string]string{"actor": a.Name, "address": a.Address})
	}
	return errors.New("it names an unknown kind of actor")
}

func (in *File) checkSkill(s Skill) error {
	err := refuse(len(s.Name) > 64 || !skillName.MatchString(s.Name) || s.Owner != "" && !handleShape.MatchString(s.Owner),
		"its name or owner is malformed")
	last := 0
	for _, v := range s.Versions {
		_, twice := in.awaited[v.Digest]
		err = errors.Join(err, v.check(), refuse(v.Number <= last, "its versions are not in order"),
			refuse(v.Kept && (twice || s.DeletedAt > 0), "a version is there twice, or was deleted"))
		last = v.Number
		if v.Kept {
			in.awaited[v.Digest] = s.Name
		}
	}
	for _, g := range s.Profiles {
		known := slices.ContainsFunc(in.Profiles, func(p Profile) bool { return p.Handle == g.Profile })
		err = errors.Join(err, checkActor(g.AllowedBy), refuse(!known, "it names a profile that is not in the file"))
	}
	return err
}

func (v SkillVersion) check() error {
	known := slices.Contains([]skills.State{skills.Quarantined, skills.Approved, skills.Revoked}, skills.State(v.State))
	return errors.Join(checkActor(v.UploadedBy), checkActor(v.ApprovedBy), checkActor(v.RevokedBy),
		refuse(!known, "its state is not known"),
		refuse(!digestShape.MatchString(v.Digest) || v.Uploader != "" && !handleShape.MatchString(v.Uploader) ||
			len(v.Reason) > 4*app.MaxReason, "its digest, uploader or reason is malformed"))
}

// CheckPerson refuses a person who could not be added here.
func CheckPerson(p store.PersonRow) error {
	var passkeys []app.Passkey
	err := errors.Join(strict([]byte(p.Passkeys), &passkeys), app.CheckPasskeys(passkeys), app.CheckRole(app.Role(p.Role)),
		app.CheckStored("name", p.Name, maxShort),
		refuse(!handleShape.MatchString(p.ID) || len(p.Password) > maxShort, "the id or password is malformed"))
	if err != nil {
		return Contradiction("a person", "is not possible", err)
	}
	return nil
}

// Check refuses an approval that no person could have given here.
func (a Approval) Check() error {
	approved := a.State == string(app.ApprovalApproved) && a.Scope == string(app.ApproveAlways)
	sum := sha256.Sum256([]byte(a.Shown))
	err := errors.Join(checkActor(a.DecidedBy), app.CheckStored("reason", a.Reason, app.MaxReason),
		refuse(!approved && (a.State != string(app.ApprovalRefused) || a.Scope != ""),
			"its state is neither approved for good nor refused"),
		refuse(a.Kind != string(app.ApprovalScript), "it is for nothing that is known"),
		refuse(hex.EncodeToString(sum[:]) != a.Subject, "it shows another script than it is for"),
		refuse(!handleShape.MatchString(a.ID) || !handleShape.MatchString(a.ProfileHandle) ||
			a.Execution != "" && !handleShape.MatchString(a.Execution), "its ids are malformed"))
	if err != nil {
		return Contradiction("an approval", "is not possible", err)
	}
	return nil
}
