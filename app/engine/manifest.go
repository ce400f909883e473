package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// digest is the sha256 of data in hex, or "" for none.
func digest(data []byte) string {
	if len(data) == 0 {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// answers is the running digest over the LLM's answers, in order and each with its length, so that no two sequences look alike.
type answers struct{ sum hash.Hash }

func (a *answers) add(text string, failed bool) {
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
func (a *answers) hex() string {
	if a.sum == nil {
		return ""
	}
	return hex.EncodeToString(a.sum.Sum(nil))
}
