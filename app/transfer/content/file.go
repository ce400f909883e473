package transfer

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/skills/bundle"
)

// Most credentials, profiles, policies and skills of a file. History is bounded by the file's size only,
// since it is never held in memory.
const (
	maxThings   = 50_000    // credentials, profiles, policies, skills: of each
	maxArranged = 256 << 20 // bytes of their lines together
)

// incoming is a file that is being read: credentials, profiles, policies and skills at once, then
// their files and history line by line.
type incoming struct {
	io.Closer
	unpacked    func() int64 // bytes of the file so far
	lines       *lineReader
	open        opening
	credentials []credentialRecord
	profiles    []profileRecord
	policies    map[string][]policyRecord // by profile, in order of versions
	byID        map[string]int            // credentials
	skills      []skillRecord
	awaited     map[string]string // names of the skills whose files have not come yet, by digest
	files       bundle.Bundle     // of the line that is visited
	contents    contentCheck
	size        int64  // of the lines up to the skills, in bytes
	rest        record // the first line behind the skills
}

// read reads and checks a file up to its skills.
func read(r io.Reader) (*incoming, error) {
	in := &incoming{lines: newLineReader(r), policies: map[string][]policyRecord{}, byID: map[string]int{},
		awaited: map[string]string{}}
	first, err := in.lines.next()
	if err != nil {
		return nil, told(err)
	}
	in.open = *first.Airlock
	for {
		next, err := in.lines.next()
		if err != nil {
			return nil, told(err)
		}
		if next.kind() > kindSkill {
			in.rest = next
			return in, in.check()
		}
		in.size += int64(len(in.lines.buf))
		if c := in.lines.counts; in.size > maxArranged || c.Credentials > maxThings || c.Profiles > maxThings ||
			c.Policies > maxThings || c.Skills > maxThings {
			return nil, told(in.lines.wrong("there are more credentials, profiles, policies and skills than any instance has",
				nil))
		}
		in.keep(next)
	}
}

func (in *incoming) keep(r record) {
	switch r.kind() {
	case kindCredential:
		in.byID[r.Credential.ID] = len(in.credentials)
		in.credentials = append(in.credentials, *r.Credential)
	case kindProfile:
		in.profiles = append(in.profiles, *r.Profile)
	case kindPolicy:
		in.policies[r.Policy.Profile] = append(in.policies[r.Policy.Profile], *r.Policy)
	case kindSkill:
		in.skills = append(in.skills, *r.Skill)
	}
}

// history visits what follows the skills, up to the end. Without an error the file is complete. The
// files of a skill are checked before they are visited.
func (in *incoming) history(visit func(record) error) error {
	next := in.rest
	for {
		if err := in.unpack(next); err != nil {
			return err
		}
		if err := in.contents.take(next); err != nil {
			return err
		}
		if next.kind() != kindEnd {
			if err := visit(next); err != nil {
				return err
			}
		}
		var err error
		if next, err = in.lines.next(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return told(err)
		}
	}
}

// unpack reads the files of a skill, which must be those that the digest of its version names, and
// makes sure at the end that none is missing.
func (in *incoming) unpack(r record) (err error) {
	in.files = bundle.Bundle{}
	switch r.kind() {
	case kindBundle:
		name, awaited := in.awaited[r.Bundle.Digest]
		if !awaited {
			return contradiction("a bundle", "belongs to no version of a skill, or is there twice", nil)
		}
		delete(in.awaited, r.Bundle.Digest)
		if r.Bundle.Packed == nil {
			return nil
		}
		in.files, err = bundle.Unpack(bytes.NewReader(r.Bundle.Packed), r.Bundle.Digest)
		if err != nil || in.files.Manifest.Name != name {
			return contradiction("the skill "+name, "has other files than its digest says", err)
		}
	case kindEnd:
		for _, name := range in.awaited {
			return contradiction("the skill "+name, "has no files", nil)
		}
	}
	return nil
}

// digest identifies all that the file says, once it was read to its end.
func (in *incoming) digest() string { return hex.EncodeToString(in.lines.sum.Sum(nil)) }

// credential returns the file's credential with an id.
func (in *incoming) credential(id string) (credentialRecord, bool) {
	i, ok := in.byID[id]
	if !ok {
		return credentialRecord{}, false
	}
	return in.credentials[i], true
}

// current returns the policy that counts for a locked profile. check has made sure that there is
// one.
func (in *incoming) current(p profileRecord) app.Policy {
	for _, v := range in.policies[p.Handle] {
		if v.Body.Version == p.Policy {
			return v.Body
		}
	}
	return app.Policy{}
}

// contradiction is the error of a file whose parts don't fit, or hold what Airlock would never have
// stored.
func contradiction(what, why string, cause error) error {
	e := app.Invalid("file", fmt.Sprintf("the file contradicts itself or Airlock's rules: %s %s", what, why),
		"Nothing was changed. The file was not made by Airlock, or by a version with a fault.")
	e.Cause = cause
	return e
}
