package s3test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Credentials of the server.
const (
	AccessKey = "test-access-key"
	SecretKey = "test-secret-key-0123456789"
	Bucket    = "backups"
)

// Start runs a server with one empty bucket until the end of the test, and returns its address.
func Start(t *testing.T) (endpoint string) {
	t.Helper()
	binary, err := Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, Bucket), 0o700); err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	_ = listener.Close()
	command := exec.Command(binary, "--access", AccessKey, "--secret", SecretKey, "--port", addr,
		"--quiet", "posix", dir) //nolint:gosec // our own build
	command.Stdout, command.Stderr, command.SysProcAttr = t.Output(), t.Output(),
		&syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	endpoint = "http://" + addr
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, endpoint, nil)
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := http.DefaultClient.Do(request); err == nil {
			_ = answer.Body.Close()
			return endpoint
		}
	}
	t.Fatal("the S3 server did not start")
	return ""
}

// Build returns the path of the server's program. It builds it if necessary.
func Build(ctx context.Context) (string, error) {
	module, err := moduleDir()
	if err != nil {
		return "", err
	}
	sums, err := os.ReadFile(filepath.Join(module, "go.sum"))
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(sums)
	dir := filepath.Join(cache, "airlock-tests")
	binary := filepath.Join(dir, "versitygw-"+hex.EncodeToString(sum[:6]))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	lock, err := os.OpenFile(binary+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil { // packages are tested side by side
		return "", err
	}
	if _, err := os.Stat(binary); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return binary, err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", binary+".new", "github.com/versity/versitygw/cmd/versitygw")
	build.Dir, build.Env = module, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the S3 server: %w\n%s", err, out)
	}
	return binary, os.Rename(binary+".new", binary)
}

// moduleDir finds the server's module above the working directory. A program built with -trimpath
// doesn't know its source.
func moduleDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		module := filepath.Join(dir, "app", "blobs", "s3server")
		if _, err := os.Stat(filepath.Join(module, "go.mod")); err == nil {
			return module, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("s3test: the server's module can't be found above the working directory")
		}
	}
}
