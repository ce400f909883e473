package bundle

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
)

// Pack writes the files as stored: a tar file in the order of paths, with paths, mode bits and
// contents only. The same files always make the same bytes.
func (b Bundle) Pack(w io.Writer) error {
	archive := tar.NewWriter(w)
	for _, f := range b.Files {
		header := tar.Header{Typeflag: tar.TypeReg, Name: f.Path, Size: int64(len(f.Content)), Mode: 0o644}
		if f.Executable {
			header.Mode = 0o755
		}
		if err := archive.WriteHeader(&header); err != nil {
			return fmt.Errorf("bundle: pack %s: %w", f.Path, err)
		}
		if _, err := archive.Write(f.Content); err != nil {
			return fmt.Errorf("bundle: pack %s: %w", f.Path, err)
		}
	}
	return archive.Close()
}

// Unpack reads what Pack wrote, to its end, and refuses files that have another digest.
func Unpack(r io.Reader, digest string) (Bundle, error) {
	t := newTree()
	archive := tar.NewReader(r)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Bundle{}, fmt.Errorf("bundle: unpack: %w", err)
		}
		if err := t.add(header.Name, header.Mode&0o111 != 0, archive, header.Size); err != nil {
			return Bundle{}, fmt.Errorf("bundle: unpack: %w", err)
		}
	}
	if _, err := io.Copy(io.Discard, r); err != nil { // the seal of what is left
		return Bundle{}, fmt.Errorf("bundle: unpack: %w", err)
	}
	b, err := t.bundle()
	if err != nil {
		return Bundle{}, fmt.Errorf("bundle: unpack: %w", err)
	}
	if got := b.Digest(); got != digest {
		return Bundle{}, fmt.Errorf("bundle: the files of %s have the digest %s", digest, got)
	}
	return b, nil
}
