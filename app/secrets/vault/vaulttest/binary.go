package vaulttest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
)

// sources are what decides the program.
const sources = "testserver"

// Binary returns the path of the server and builds it if necessary. Concurrent callers wait for one
// build. Its output goes to log.
func Binary(log io.Writer) (string, error) {
	source, err := sourceDir()
	if err != nil {
		return "", err
	}
	sum, err := digest(source)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "airlock-tests")
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // programs that tests run
		return "", err
	}
	binary := filepath.Join(dir, "vault-"+sum)
	lock, err := os.OpenFile(binary+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	if _, err := os.Stat(binary); err == nil {
		return binary, nil
	}
	return binary, build(source, binary, log)
}

func build(source, binary string, log io.Writer) error {
	fmt.Fprintln(log, "building the Vault server for tests; from nothing this takes several minutes")
	cmd := exec.Command("go", "build", "-tags", "minimal", "-trimpath", "-ldflags", "-s -w", "-o", binary+".new", ".")
	cmd.Dir, cmd.Stdout, cmd.Stderr = source, log, log
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-buildvcs=false -mod=readonly")
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build the Vault server for tests: %w", err)
	}
	return os.Rename(binary+".new", binary)
}

// sourceDir returns the server's sources, in the module around the working directory. A program
// built with -trimpath doesn't know its source.
func sourceDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		source := filepath.Join(dir, "app", "secrets", "vault", sources)
		if _, err := os.Stat(filepath.Join(source, "go.mod")); err == nil {
			return source, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("vaulttest: the sources can't be found above the working directory")
		}
	}
}

// digest identifies the sources, their dependencies' checksums and the Go version.
func digest(dir string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return "", err
	}
	slices.Sort(files)
	sum := sha256.New()
	fmt.Fprintln(sum, runtime.Version())
	for _, file := range files {
		text, err := os.ReadFile(file) //nolint:gosec // our own sources
		if err != nil {
			return "", err
		}
		fmt.Fprintln(sum, filepath.Base(file), len(text))
		sum.Write(text)
	}
	return hex.EncodeToString(sum.Sum(nil))[:16], nil
}
