package archive

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"testing"
)

func TestChunksAreBoundToTheirPlaceAndKey(t *testing.T) {
	t.Parallel()
	key, other := make([]byte, KeySize), make([]byte, KeySize)
	_, _ = rand.Read(key)
	for _, size := range []int{0, 1, chunkSize - 1, chunkSize, chunkSize + 1, 3*chunkSize + 17} {
		content := make([]byte, size)
		_, _ = rand.Read(content)
		var sealed bytes.Buffer
		w := SealChunks(&sealed, key, "blob a")
		if _, err := w.Write(content); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		if int64(sealed.Len()) != SealedSize(int64(size)) {
			t.Errorf("%d bytes are %d sealed, want %d", size, sealed.Len(), SealedSize(int64(size)))
		}
		open := func(text []byte, key []byte, place string) ([]byte, error) {
			return io.ReadAll(OpenChunks(bytes.NewReader(text), key, place))
		}
		if got, err := open(sealed.Bytes(), key, "blob a"); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%d bytes: opened as %d, %v", size, len(got), err)
		}
		changed := bytes.Clone(sealed.Bytes())
		changed[len(changed)/2] ^= 1
		for name, try := range map[string]func() ([]byte, error){
			"another place": func() ([]byte, error) { return open(sealed.Bytes(), key, "blob b") },
			"another key":   func() ([]byte, error) { return open(sealed.Bytes(), other, "blob a") },
			"a changed bit": func() ([]byte, error) { return open(changed, key, "blob a") },
			"no end":        func() ([]byte, error) { return open(sealed.Bytes()[:sealed.Len()-tagSize], key, "blob a") },
		} {
			if _, err := try(); !errors.Is(err, ErrDamaged) {
				t.Errorf("%d bytes, %s: %v", size, name, err)
			}
		}
	}
}
