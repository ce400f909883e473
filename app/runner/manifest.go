package runner

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

func (r *Run) manifest(s sent) app.Manifest {
	ready := r.session.box.Session.Ready()
	policy := s.binding.policy
	return app.Manifest{
		Script: digest(s.binding.source.Script), Skill: r.x.SkillDigest,
		Inputs: digest(s.binding.source.Inputs),
		Files:  filesDigest(s.binding.source.Files), LLM: r.script.dialogue.digest(),
		Runner: ready.Runner, Python: ready.Python, Packages: ready.Packages,
		Runtime: r.session.backend.Identity(s.binding.place.Image), Policy: policy.Digest(), Limits: r.runner.cfg.Limits,
	}
}

// digest returns the sha256 of data in hex, or "" for none.
func digest(data []byte) string {
	if len(data) == 0 {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// answerDigest hashes the answers in order, each with its length, so that sequences differ.
type answerDigest struct{ sum hash.Hash }

func (a *answerDigest) add(text string, failed bool) {
	if a.sum == nil {
		a.sum = sha256.New()
	}
	head := make([]byte, 9)
	binary.BigEndian.PutUint64(head, uint64(len(text)))
	if failed {
		head[8] = 1
	}
	a.sum.Write(head)
	a.sum.Write([]byte(text))
}

// hex returns the digest, or "" if nothing was answered.
func (a *answerDigest) hex() string {
	if a.sum == nil {
		return ""
	}
	return hex.EncodeToString(a.sum.Sum(nil))
}

func filesDigest(list []store.InputFile) string {
	if len(list) == 0 {
		return ""
	}
	var lines []string
	for _, f := range list {
		lines = append(lines, f.SHA256+" "+f.Name+"\n") // names have no line breaks
	}
	slices.Sort(lines)
	return digest([]byte(strings.Join(lines, "")))
}
