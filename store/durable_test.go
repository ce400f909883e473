package store

import (
	"bytes"
	"fmt"
	"testing"
	"time"
)

// BenchmarkCommit measures a small transaction, as most are, with an fsync per commit and without,
// in the directory for temporary files.
func BenchmarkCommit(b *testing.B) {
	for _, level := range []string{"NORMAL", "FULL"} {
		b.Run(level, func(b *testing.B) {
			s, err := Open(b.Context(), b.TempDir(), nil)
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			if err := s.writer.Exec("PRAGMA synchronous = " + level).Error; err != nil {
				b.Fatal(err)
			}
			value := bytes.Repeat([]byte("x"), 1000)
			for i := 0; b.Loop(); i++ {
				err := s.Write(b.Context(), func(tx *Tx) error {
					return tx.Settings.Set(b.Context(), time.Now(), Setting{Key: fmt.Sprint(i % 1000), Value: value})
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
