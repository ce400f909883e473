package transfer

import (
	"encoding/json"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// contentVersion is the newest form of the lines that this program reads, and the one that it
// writes. It grows with every field and kind that is added.
const contentVersion = 5

// record is one line of a file: an object with exactly one member, which names the kind.
// docs/airlock-file.md describes them.
type record struct {
	Airlock    *opening            `json:"airlock,omitempty"`
	Credential *credentialRecord   `json:"credential,omitempty"`
	Profile    *profileRecord      `json:"profile,omitempty"`
	Policy     *policyRecord       `json:"policy,omitempty"`
	Skill      *skillRecord        `json:"skill,omitempty"`
	Bundle     *bundleRecord       `json:"bundle,omitempty"`
	Approval   *approvalRecord     `json:"approval,omitempty"`
	Execution  *executionRecord    `json:"execution,omitempty"`
	Script     *scriptRecord       `json:"script,omitempty"`
	Output     *outputRecord       `json:"output,omitempty"`
	Value      *store.UsedValueRow `json:"value,omitempty"`
	Exchange   *exchangeRecord     `json:"exchange,omitempty"`
	Connection *connectionRecord   `json:"connection,omitempty"`
	Redaction  *store.RedactionRow `json:"redaction,omitempty"`
	File       *store.InputFileRow `json:"file,omitempty"` // of a script's input; its content doesn't travel
	Artifact   *artifactRecord     `json:"artifact,omitempty"`
	Content    *contentRecord      `json:"content,omitempty"` // of the artifact before it
	Stats      *statsRecord        `json:"stats,omitempty"`
	Person     *store.PersonRow    `json:"person,omitempty"`
	Event      *store.EventRow     `json:"event,omitempty"`
	Archived   *archivedRecord     `json:"archived,omitempty"`
	End        *ending             `json:"end,omitempty"`
}

// opening is the first line.
type opening struct {
	Content  int      `json:"content"`
	Program  string   `json:"program"`
	Instance string   `json:"instance"` // label of the instance; not secret
	MadeAt   int64    `json:"made_at"`
	Profiles []string `json:"profiles,omitempty"` // handles of a selection; absent if everything travels
	History  bool     `json:"history"`
	// AskedKeys are the keys of the hashes in exchanges (see exchangeRecord): this instance's own
	// first, then those that came to it with imports.
	AskedKeys [][]byte `json:"asked_keys,omitempty"`
}

// ending is the last line: how many lines of each kind came before it.
type ending struct {
	Counts Counts `json:"counts"`
}

// Counts are numbers of things in a file.
type Counts struct {
	Credentials int64 `json:"credentials"`
	Profiles    int64 `json:"profiles"`
	Policies    int64 `json:"policies"`
	Skills      int64 `json:"skills"`  // absent before content 5, as are the next two
	Bundles     int64 `json:"bundles"` // the files of a version each
	Approvals   int64 `json:"approvals"`
	Executions  int64 `json:"executions"`
	Parts       int64 `json:"parts"` // what hangs on executions
	Days        int64 `json:"days"`
	People      int64 `json:"people"`
	Events      int64 `json:"events"`
	Archived    int64 `json:"archived"` // of other instances' audit logs
}

// The records are rows of the database. What is JSON, sealed or a reference in a row stands beside
// it in the form that it has in a file; the row's own field of that name has no place in the file.

type credentialRecord struct {
	store.CredentialRow
	Mode    app.Mode    `json:"mode"`
	Hosts   []app.Host  `json:"hosts"`
	Places  []app.Place `json:"places"`
	Headers []string    `json:"headers"` // absent before content 2: the usual ones
	Source  app.Source  `json:"source"`
	// of the current version; absent if there is none, and never of another source than local
	Value    *string         `json:"value,omitempty"`
	Versions []versionRecord `json:"versions"`
}

// versionRecord says when a value was set and by whom.
type versionRecord struct {
	Version   int       `json:"version"`
	CreatedBy app.Actor `json:"created_by"`
	CreatedAt int64     `json:"created_at"`
}

type profileRecord struct {
	ID string `json:"id"` // ark_…
	store.ProfileRow
	CreatedBy app.Actor    `json:"created_by"`
	Keys      []keyRecord  `json:"keys"`
	Hosts     []hostRecord `json:"hosts"`
}

type keyRecord struct {
	store.ProfileKeyRow
	Mode       app.Mode   `json:"mode"`
	Hosts      []app.Host `json:"hosts"`
	Credential string     `json:"credential"` // id; "" while no person has linked it
}

type hostRecord struct {
	store.ProfileHostRow
	Host    app.Host  `json:"host"`
	AskedBy app.Actor `json:"asked_by"`
}

type policyRecord struct {
	Profile   string     `json:"profile"` // handle
	Body      app.Policy `json:"body"`
	Digest    string     `json:"digest"`
	CreatedBy app.Actor  `json:"created_by"`
	CreatedAt int64      `json:"created_at"`
}

type skillRecord struct {
	store.SkillRow
	Versions []skillVersionRecord `json:"versions"` // by number
	Profiles []skillGrantRecord   `json:"profiles"` // that may run it
}

type skillVersionRecord struct {
	store.SkillVersionRow
	UploadedBy app.Actor `json:"uploaded_by"`
	ApprovedBy app.Actor `json:"approved_by"`
	RevokedBy  app.Actor `json:"revoked_by"`
	Kept       bool      `json:"kept"` // a bundle with its files follows; false once the skill was deleted
}

type skillGrantRecord struct {
	Profile   string    `json:"profile"` // handle
	AllowedBy app.Actor `json:"allowed_by"`
	AllowedAt int64     `json:"allowed_at"`
}

// bundleRecord is the files of a version. What SKILL.md says of it is read from there.
type bundleRecord struct {
	Digest string `json:"digest"`
	Packed []byte `json:"packed,omitempty"` // tar; absent if the storage had lost them
}

// approvalRecord is a script that a person approved for good, or refused.
type approvalRecord struct {
	store.ApprovalRow
	DecidedBy app.Actor `json:"decided_by"`
}

type executionRecord struct {
	ID string `json:"id"` // exec_…
	store.ExecutionRow
	Injected    []string     `json:"injected"`
	SubmittedBy app.Actor    `json:"submitted_by"`
	Manifest    app.Manifest `json:"manifest"`
}

type scriptRecord struct {
	store.ScriptRow
	Script string  `json:"script"`
	Inputs *string `json:"inputs"`
}

type outputRecord struct {
	store.OutputRow
	Segments json.RawMessage `json:"segments"`
}

type exchangeRecord struct {
	store.ExchangeRow
	AnsweredBy app.Actor `json:"answered_by"`
	Answer     *string   `json:"answer"` // exact; null if nobody gave one
	// Asked is a hash of the exact question, keyed with one of the first line's asked_keys: the
	// question itself is kept nowhere.
	Asked []byte `json:"asked"`
}

type connectionRecord struct {
	store.ConnectionRow
	Credentials []string `json:"credentials"`
}

// archivedRecord is an event of the audit log of an instance that was moved into the one that made
// the file, or into one before it.
type archivedRecord struct {
	Source string `json:"source"` // label of the instance that it is from
	store.EventRow
}

// artifactRecord is a file that an execution left.
type artifactRecord struct {
	store.ArtifactRow
	Kept bool `json:"kept,omitempty"` // its content follows
}

// contentRecord is a piece of an artifact's content.
type contentRecord struct {
	Data []byte `json:"data,omitempty"`
	End  bool   `json:"end,omitempty"`  // the last one
	Lost bool   `json:"lost,omitempty"` // the last one: the storage had lost the content
}

type statsRecord struct {
	store.StatsRow
	Durations json.RawMessage `json:"durations"`
}
