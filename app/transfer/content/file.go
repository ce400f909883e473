package content

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/skills/bundle"
	"github.com/computclaw/airlock/app/transfer/archive"
	"github.com/computclaw/airlock/store"
)

// Limits of credentials, profiles, policies and skills in a file. The file's size alone bounds
// history, which is never held in memory.
const (
	maxThings   = 50_000    // credentials, profiles, policies, skills: of each
	MaxArranged = 256 << 20 // bytes of their lines together
)

// File reads a file: credentials, profiles, policies and skills at once. Skills' files and history
// follow line by line.
type File struct {
	Opening     Opening
	Credentials []Credential
	Profiles    []Profile
	Policies    map[string][]Policy // by profile, in order of versions
	Skills      []Skill
	Files       bundle.Bundle // of the line that History visits

	lines   lineReader
	byID    map[string]int    // credentials
	awaited map[string]string // names of the skills whose files have not come yet, by digest
	rest    Record            // the first line behind the skills
}

// Open is Read of a sealed file of size bytes. It may unpack to most bytes; 0 derives a bound from
// size. Errors: CodeInvalidField with Field "passphrase" or "file", those of r.
func Open(r io.Reader, passphrase app.Secret, size, most int64, importing bool) (*File, error) {
	if most == 0 {
		most = maxUnpacked(size)
	}
	sealed, err := archive.NewReader(r, passphrase, most)
	if err != nil {
		return nil, explain(err)
	}
	return Read(sealed, importing)
}

// Read reads and checks the content of a file. An import has more rules than a restore.
func Read(r io.Reader, importing bool) (*File, error) {
	in := &File{lines: lineReader{r: bufio.NewReaderSize(r, 64<<10), most: MaxNumber}, Policies: map[string][]Policy{},
		byID: map[string]int{}, awaited: map[string]string{}}
	if importing {
		in.lines.most = MaxCount
	}
	first, err := in.lines.next()
	if err != nil {
		return nil, explain(err)
	}
	in.Opening = *first.Airlock
	for {
		next, err := in.lines.next()
		if err != nil {
			return nil, explain(err)
		}
		if next.Kind() > KindSkill {
			in.rest = next
			return in, in.check(importing)
		}
		c := in.lines.counts
		if in.lines.bytes > MaxArranged || max(c.Credentials, c.Profiles, c.Policies, c.Skills) > maxThings {
			return nil, in.lines.wrong("there are more credentials, profiles, policies and skills than any instance has", nil)
		}
		in.keep(next)
	}
}

func (in *File) keep(r Record) {
	switch r.Kind() {
	case KindCredential:
		in.byID[r.Credential.ID] = len(in.Credentials)
		in.Credentials = append(in.Credentials, *r.Credential)
	case KindProfile:
		in.Profiles = append(in.Profiles, *r.Profile)
	case KindPolicy:
		in.Policies[r.Policy.Profile] = append(in.Policies[r.Policy.Profile], *r.Policy)
	case KindSkill:
		in.Skills = append(in.Skills, *r.Skill)
	}
}

// History visits the records behind the skills, with the end. Without an error the file is
// complete. It checks a skill's files before it visits them.
func (in *File) History(visit func(Record) error) error {
	next := in.rest
	for {
		if err := in.unpack(next); err != nil {
			return err
		}
		if err := visit(next); err != nil {
			return err
		}
		var err error
		if next, err = in.lines.next(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return explain(err)
		}
	}
}

// unpack reads the files of a skill. They must match its version's digest, and at the end none may
// be missing.
func (in *File) unpack(r Record) (err error) {
	in.Files = bundle.Bundle{}
	switch r.Kind() {
	case KindBundle:
		name, awaited := in.awaited[r.Bundle.Digest]
		if !awaited {
			return Contradiction("a bundle", "belongs to no version of a skill, or is there twice", nil)
		}
		delete(in.awaited, r.Bundle.Digest)
		if r.Bundle.Packed == nil {
			return nil
		}
		in.Files, err = bundle.Unpack(bytes.NewReader(r.Bundle.Packed), r.Bundle.Digest)
		if err != nil || in.Files.Manifest.Name != name {
			return Contradiction("the skill "+name, "has other files than its digest says", err)
		}
	case KindEnd:
		for _, name := range in.awaited {
			return Contradiction("the skill "+name, "has no files", nil)
		}
	}
	return nil
}

// Counts are those of the lines so far.
func (in *File) Counts() Counts { return in.lines.counts }

// Bytes is the length of the lines so far.
func (in *File) Bytes() int64 { return in.lines.bytes }

// Credential returns the file's credential with an id.
func (in *File) Credential(id string) (Credential, bool) {
	i, ok := in.byID[id]
	if !ok {
		return Credential{}, false
	}
	return in.Credentials[i], true
}

// Current returns the current policy of a locked profile, which check ensures.
func (in *File) Current(p Profile) app.Policy {
	for _, v := range in.Policies[p.Handle] {
		if v.Body.Version == p.Policy {
			return v.Body
		}
	}
	return app.Policy{}
}

// Contradiction is the error of a file with inconsistent or impossible contents.
func Contradiction(what, why string, cause error) error {
	e := app.Invalid("file", fmt.Sprintf("the file contradicts itself or Airlock's rules: %s %s", what, why),
		"Nothing was changed. The file was not made by Airlock, or by a version with a fault.")
	e.Cause = cause
	return e
}

// AuditChain follows a file's audit logs: the instance's own, whose source is "", then archived ones.
type AuditChain struct {
	source string // label of the instance
	seq    int64
	hash   string
}

// Take checks that an event is the next one of its log.
func (c *AuditChain) Take(source string, e store.EventRow) error {
	if source != c.source {
		if source < c.source || !labelShape.MatchString(source) {
			return Contradiction("the archived audit log", "is out of order", nil)
		}
		*c = AuditChain{source: source}
	}
	if e.Seq != c.seq+1 || e.Prev != c.hash || !store.Intact(e) {
		return Contradiction("the audit log", fmt.Sprintf("is broken at event %d", c.seq+1), nil)
	}
	c.seq, c.hash = e.Seq, e.Hash
	return nil
}
