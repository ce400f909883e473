package content

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/skills/bundle"
	"github.com/computclaw/airlock/app/transfer/archive"
	"github.com/computclaw/airlock/store"
)

// Limits of credentials, profiles, policies and skills in a file. The file's size alone bounds
// history, which is never held in memory.
const (
	MaxThings   = 50_000    // credentials, profiles, policies, skills: of each
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
	Size        int64         // of the lines up to the skills, in bytes
	Files       bundle.Bundle // of the line that History visits

	unpacked func() int64 // bytes of the file so far
	lines    *lineReader
	byID     map[string]int    // credentials
	awaited  map[string]string // names of the skills whose files have not come yet, by digest
	pieces   pieceCheck
	rest     Record // the first line behind the skills
}

// Open is Read of a sealed file of size bytes. It may unpack to most bytes; 0 derives a bound from
// size. Errors: CodeInvalidField with Field "passphrase" or "file", those of r.
func Open(r io.Reader, passphrase app.Secret, size, most int64) (*File, error) {
	if most == 0 {
		most = maxUnpacked(size)
	}
	sealed, err := archive.NewReader(r, passphrase, most)
	if err != nil {
		return nil, explain(err)
	}
	in, err := Read(sealed)
	if err != nil {
		return nil, err
	}
	in.unpacked = sealed.Size
	return in, nil
}

// Read reads and checks the content of a file.
func Read(r io.Reader) (*File, error) {
	in := &File{lines: newLineReader(r), Policies: map[string][]Policy{}, byID: map[string]int{},
		awaited: map[string]string{}}
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
			return in, in.check()
		}
		in.Size += int64(len(in.lines.buf))
		if c := in.lines.counts; in.Size > MaxArranged || c.Credentials > MaxThings || c.Profiles > MaxThings ||
			c.Policies > MaxThings || c.Skills > MaxThings {
			return nil, explain(in.lines.wrong("there are more credentials, profiles, policies and skills than any instance has",
				nil))
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

// History visits the records behind the skills, up to the end. Without an error the file is
// complete. It checks a skill's files before it visits them.
func (in *File) History(visit func(Record) error) error {
	next := in.rest
	for {
		if err := in.unpack(next); err != nil {
			return err
		}
		if err := in.pieces.take(next); err != nil {
			return err
		}
		if next.Kind() != KindEnd {
			if err := visit(next); err != nil {
				return err
			}
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

// Unpacked is how many bytes were read so far.
func (in *File) Unpacked() int64 { return in.unpacked() }

// LineSize is the length of the line that is visited, in bytes.
func (in *File) LineSize() int64 { return int64(len(in.lines.buf)) }

// Digest identifies the contents of a file that was read to its end.
func (in *File) Digest() string { return hex.EncodeToString(in.lines.sum.Sum(nil)) }

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

// AuditLogs follows a file's audit logs: the instance's own, then archived ones.
type AuditLogs struct {
	own      chain
	archived chain  // the one that is under way
	source   string // whose that is
}

// Event takes the next event of the instance's own log.
func (l *AuditLogs) Event(e store.EventRow) error { return l.own.take(e) }

// Archived takes the next event of the other logs.
func (l *AuditLogs) Archived(a Archived) error {
	if a.Source != l.source {
		if a.Source <= l.source || !labelShape.MatchString(a.Source) {
			return Contradiction("the archived audit log", "is out of order", nil)
		}
		l.source, l.archived = a.Source, chain{}
	}
	return l.archived.take(a.EventRow)
}

// chain is an audit log as far as it was read.
type chain struct {
	seq  int64
	hash string
}

// take adds an event to the chain. It fails on a wrong number or hash.
func (c *chain) take(e store.EventRow) error {
	if e.Seq != c.seq+1 || e.Prev != c.hash || !store.Intact(e) || checkBounds(e) != nil {
		return Contradiction("the audit log", fmt.Sprintf("is broken at event %d", c.seq+1), nil)
	}
	c.seq, c.hash = e.Seq, e.Hash
	return nil
}

// pieceCheck verifies an artifact's content against its line.
type pieceCheck struct {
	of   *Artifact // whose content is read; nil between contents
	sum  hash.Hash
	left int64 // bytes
}

// take looks at the next line.
func (c *pieceCheck) take(r Record) error {
	switch {
	case r.Content == nil && c.of != nil:
		return Contradiction("an artifact", "has only a part of its content", nil)
	case r.Artifact != nil && r.Artifact.Kept:
		c.of, c.sum, c.left = r.Artifact, sha256.New(), r.Artifact.Size
		return nil
	case r.Content == nil:
		return nil
	case c.of == nil:
		return Contradiction("a content", "belongs to no artifact", nil)
	}
	c.sum.Write(r.Content.Data)
	c.left -= int64(len(r.Content.Data))
	whole := c.left == 0 && hex.EncodeToString(c.sum.Sum(nil)) == c.of.SHA256
	if c.left < 0 || r.Content.End && !whole {
		return Contradiction("an artifact", "has another content than its digest says", nil)
	}
	if r.Content.End || r.Content.Lost {
		c.of = nil
	}
	return nil
}
