package content

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

// pieceCheck follows the content of an artifact, which must be the one that its line names.
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
