package config

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// maxSecretFile bounds a *_FILE.
const maxSecretFile = 64 << 10

// ReadSecretFile reads a secret from a regular file of at most 64 KiB, trimmed.
func ReadSecretFile(path string) (string, error) {
	text, err := readBounded(path, maxSecretFile)
	if err != nil {
		return "", err
	}
	if text = strings.TrimSpace(text); text == "" {
		return "", fmt.Errorf("%s is empty", path)
	}
	return text, nil
}

// readBounded reads at most most bytes of a regular file, whatever its size claims.
func readBounded(path string, most int64) (string, error) {
	f, err := os.OpenFile(path, unix.O_NONBLOCK, 0) //nolint:gosec // the operator names it; a pipe must not hold us up
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	refused := fmt.Errorf("%s is not a regular file of at most %s", path, ShowSize(most))
	if !info.Mode().IsRegular() {
		return "", refused
	}
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if int64(len(text)) > most {
		return "", refused
	}
	return string(text), err
}
