package content

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/store"
)

// Version is the version of the lines that this program reads and writes. It grows with every added
// field and kind once 0.1.0 is out.
const Version = 1

// Record is one line of a file: an object whose only member names the kind. docs/airlock-file.md
// describes them.
type Record struct {
	Airlock    *Opening            `json:"airlock,omitempty"`
	Credential *Credential         `json:"credential,omitempty"`
	Profile    *Profile            `json:"profile,omitempty"`
	Policy     *Policy             `json:"policy,omitempty"`
	Skill      *Skill              `json:"skill,omitempty"`
	Bundle     *Bundle             `json:"bundle,omitempty"`
	Approval   *Approval           `json:"approval,omitempty"`
	Execution  *Execution          `json:"execution,omitempty"`
	Script     *Script             `json:"script,omitempty"`
	Output     *Output             `json:"output,omitempty"`
	Value      *store.UsedValueRow `json:"value,omitempty"`
	Exchange   *Exchange           `json:"exchange,omitempty"`
	Connection *Connection         `json:"connection,omitempty"`
	Redaction  *store.RedactionRow `json:"redaction,omitempty"`
	File       *store.InputFileRow `json:"file,omitempty"` // of a script's input; its content doesn't travel
	Artifact   *Artifact           `json:"artifact,omitempty"`
	Content    *Piece              `json:"content,omitempty"` // of the artifact before it
	Stats      *Stats              `json:"stats,omitempty"`
	Person     *store.PersonRow    `json:"person,omitempty"`
	Event      *store.EventRow     `json:"event,omitempty"`
	Archived   *Archived           `json:"archived,omitempty"`
	End        *Ending             `json:"end,omitempty"`
}

// Opening is the first line.
type Opening struct {
	Content  int      `json:"content"`
	Program  string   `json:"program"`
	Instance string   `json:"instance"` // label of the instance; not secret
	MadeAt   int64    `json:"made_at"`
	Profiles []string `json:"profiles,omitempty"` // handles of a selection; absent if everything travels
	History  bool     `json:"history"`
	// AskedKeys are the keys of the hashes in exchanges (see Exchange). This instance's own is
	// first, imported ones follow.
	AskedKeys [][]byte `json:"asked_keys,omitempty"`
}

// Ending is the last line, with the number of lines of each kind.
type Ending struct {
	Counts Counts `json:"counts"`
}

// Records are rows of the database. JSON, sealed fields and references stand beside the row in file
// form; the row's own field of that name is left out.

// Credential is a credential, with the value of its current version.
type Credential struct {
	store.CredentialRow
	Mode    app.Mode    `json:"mode"`
	Hosts   []app.Host  `json:"hosts"`
	Places  []app.Place `json:"places"`
	Headers []string    `json:"headers"`
	Source  app.Source  `json:"source"`
	// of the current version; absent if there is none, and unless the source is local
	Value    *string        `json:"value,omitempty"`
	Versions []ValueVersion `json:"versions"`
}

// ValueVersion says when a value was set and by whom.
type ValueVersion struct {
	Version   int       `json:"version"`
	CreatedBy app.Actor `json:"created_by"`
	CreatedAt int64     `json:"created_at"`
}

// Profile is a profile with its keys and hosts.
type Profile struct {
	ID string `json:"id"` // ark_…
	store.ProfileRow
	CreatedBy app.Actor `json:"created_by"`
	Keys      []Key     `json:"keys"`
	Hosts     []Host    `json:"hosts"`
}

// Key is a key of a profile.
type Key struct {
	store.ProfileKeyRow
	Mode       app.Mode   `json:"mode"`
	Hosts      []app.Host `json:"hosts"`
	Credential string     `json:"credential"` // id; "" while no person has linked it
}

// Host is a host of a profile, allowed or asked for.
type Host struct {
	store.ProfileHostRow
	Host    app.Host  `json:"host"`
	AskedBy app.Actor `json:"asked_by"`
}

// Policy is one version of a policy.
type Policy struct {
	Profile   string     `json:"profile"` // handle
	Body      app.Policy `json:"body"`
	Digest    string     `json:"digest"`
	CreatedBy app.Actor  `json:"created_by"`
	CreatedAt int64      `json:"created_at"`
}

// Skill is a skill without its files.
type Skill struct {
	store.SkillRow
	Versions []SkillVersion `json:"versions"` // by number
	Profiles []SkillGrant   `json:"profiles"` // that may run it
}

// SkillVersion is a version of a skill.
type SkillVersion struct {
	store.SkillVersionRow
	UploadedBy app.Actor `json:"uploaded_by"`
	ApprovedBy app.Actor `json:"approved_by"`
	RevokedBy  app.Actor `json:"revoked_by"`
	Kept       bool      `json:"kept"` // a bundle with its files follows; false once the skill was deleted
}

// SkillGrant lets a profile run a skill.
type SkillGrant struct {
	Profile   string    `json:"profile"` // handle
	AllowedBy app.Actor `json:"allowed_by"`
	AllowedAt int64     `json:"allowed_at"`
}

// Bundle is the files of a version. SKILL.md describes it.
type Bundle struct {
	Digest string `json:"digest"`
	Packed []byte `json:"packed,omitempty"` // tar; absent if the storage had lost them
}

// Approval is a script that a person approved for good, or refused.
type Approval struct {
	store.ApprovalRow
	DecidedBy app.Actor `json:"decided_by"`
}

// Execution is an execution that has ended; its parts follow.
type Execution struct {
	ID string `json:"id"` // exec_…
	store.ExecutionRow
	Injected    []string     `json:"injected"`
	SubmittedBy app.Actor    `json:"submitted_by"`
	Manifest    app.Manifest `json:"manifest"`
}

// Script is a submission as it was sent and as people see it.
type Script struct {
	store.ScriptRow
	Script string  `json:"script"`
	Inputs *string `json:"inputs"`
}

// Output is what an execution printed and returned.
type Output struct {
	store.OutputRow
	Segments json.RawMessage `json:"segments"`
}

// Exchange is a question to the LLM.
type Exchange struct {
	store.ExchangeRow
	AnsweredBy app.Actor `json:"answered_by"`
	Answer     *string   `json:"answer"` // exact; null if nobody gave one
	// Asked is a hash of the exact question, keyed with one of the first line's asked_keys. The
	// question itself is not kept.
	Asked []byte `json:"asked"`
}

// Connection is a row of the ledger.
type Connection struct {
	store.ConnectionRow
	Credentials []string `json:"credentials"`
}

// Archived is an audit event of an instance that was imported into the file's maker, directly or
// earlier.
type Archived struct {
	Source string `json:"source"` // label of the instance that it is from
	store.EventRow
}

// Artifact is a file that an execution left.
type Artifact struct {
	store.ArtifactRow
	Kept bool `json:"kept,omitempty"` // its content follows
}

// Piece is a piece of an artifact's content.
type Piece struct {
	Data []byte `json:"data,omitempty"`
	End  bool   `json:"end,omitempty"`  // the last one
	Lost bool   `json:"lost,omitempty"` // the last one: the storage had lost the content
}

// Stats counts the executions of a profile in a span of time.
type Stats struct {
	store.StatsRow
	Durations json.RawMessage `json:"durations"`
}

// Kind orders the records of a file. Parts stand behind their execution.
type Kind int

// The kinds, in the order of a Record's members and of Counts.
const (
	KindNone Kind = iota
	KindOpening
	KindCredential
	KindProfile
	KindPolicy
	KindSkill
	KindBundle
	KindApproval
	KindExecution
	KindPart // nine members, Script to Content
	KindStats
	KindPerson
	KindEvent
	KindArchived
	KindEnd
)

// Kind is the kind of the one member that is set.
func (r Record) Kind() Kind {
	kind, _ := r.kind()
	return kind
}

// kind also counts the members that are set; a line has one.
func (r Record) kind() (kind Kind, members int) {
	const parts = 9
	v := reflect.ValueOf(r)
	for i := range v.NumField() {
		if v.Field(i).IsNil() {
			continue
		}
		members++
		switch kind = Kind(i + 1); {
		case kind >= KindPart+parts:
			kind -= parts - 1
		case kind > KindPart:
			kind = KindPart
		}
	}
	return kind, members
}

// Version returns the version with a digest. One with files precedes a deleted one.
func (s Skill) Version(digest string) (v SkillVersion, ok bool) {
	for _, one := range s.Versions {
		if one.Digest == digest && (!ok || one.Kept || skills.State(one.State) == skills.Revoked) {
			v, ok = one, true
		}
		if ok && v.Kept {
			break
		}
	}
	return v, ok
}

// Allows reports whether a profile may run it.
func (s Skill) Allows(handle string) bool {
	return slices.ContainsFunc(s.Profiles, func(g SkillGrant) bool { return g.Profile == handle })
}

// Counts are numbers of things in a file, in the order of kinds.
type Counts struct {
	Credentials int64 `json:"credentials"`
	Profiles    int64 `json:"profiles"`
	Policies    int64 `json:"policies"`
	Skills      int64 `json:"skills"`
	Bundles     int64 `json:"bundles"` // the files of a version each
	Approvals   int64 `json:"approvals"`
	Executions  int64 `json:"executions"`
	Parts       int64 `json:"parts"` // what hangs on executions
	Days        int64 `json:"days"`
	People      int64 `json:"people"`
	Events      int64 `json:"events"`
	Archived    int64 `json:"archived"` // of other instances' audit logs
}

func (c *Counts) count(k Kind) {
	if k > KindOpening && k < KindEnd {
		n := reflect.ValueOf(c).Elem().Field(int(k - KindCredential))
		n.SetInt(n.Int() + 1)
	}
}

// String says it in words.
func (c Counts) String() string {
	skills := ""
	if c.Skills > 0 {
		skills = ", " + app.Count(c.Skills, "skill")
	}
	return fmt.Sprintf("%s, %s%s and %s", app.Count(c.Credentials, "credential"), app.Count(c.Profiles, "profile"), skills,
		app.Count(c.Executions, "execution"))
}
