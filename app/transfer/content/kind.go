package content

import "reflect"

// Kind orders records: a file has them in this order, and parts stand behind their execution.
type Kind int

// The kinds, in their order.
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
	KindPart
	KindStats
	KindPerson
	KindEvent
	KindArchived
	KindEnd
)

// Kind is the kind of the one member that is set.
func (r Record) Kind() Kind {
	switch {
	case r.Airlock != nil:
		return KindOpening
	case r.Credential != nil:
		return KindCredential
	case r.Profile != nil:
		return KindProfile
	case r.Policy != nil:
		return KindPolicy
	case r.Skill != nil:
		return KindSkill
	case r.Bundle != nil:
		return KindBundle
	case r.Approval != nil:
		return KindApproval
	case r.Execution != nil:
		return KindExecution
	case r.Script != nil, r.Output != nil, r.Value != nil, r.Exchange != nil, r.Connection != nil, r.Redaction != nil,
		r.File != nil, r.Artifact != nil, r.Content != nil:
		return KindPart
	case r.Stats != nil:
		return KindStats
	case r.Person != nil:
		return KindPerson
	case r.Event != nil:
		return KindEvent
	case r.Archived != nil:
		return KindArchived
	case r.End != nil:
		return KindEnd
	}
	return KindNone
}

// members counts the members that are set; a line has one.
func (r Record) members() (n int) {
	v := reflect.ValueOf(r)
	for i := range v.NumField() {
		if !v.Field(i).IsNil() {
			n++
		}
	}
	return n
}
