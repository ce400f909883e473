package e2e

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// StartPostgres makes a database cluster of its own and returns its address. The user airlock logs
// in with the password.
func StartPostgres(t *testing.T, password string) string {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	Must(t, err)
	if len(found) == 0 {
		t.Fatal("PostgreSQL is missing: apt-get install postgresql")
	}
	bin := filepath.Dir(slices.Max(found))
	dir, err := os.MkdirTemp("", "airlock-postgres-")
	Must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	secret := filepath.Join(dir, "password")
	Must(t, os.WriteFile(secret, []byte(password), 0o644))
	attributes := &syscall.SysProcAttr{Pdeathsig: syscall.SIGINT}
	if os.Getuid() == 0 { // PostgreSQL refuses to run as root
		owner, err := user.Lookup("postgres")
		Must(t, err)
		uid, _ := strconv.Atoi(owner.Uid)
		gid, _ := strconv.Atoi(owner.Gid)
		Must(t, os.Chown(dir, uid, gid))
		attributes.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	data := filepath.Join(dir, "data")
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-U", "airlock", "--auth=scram-sha-256",
		"--pwfile="+secret, "--no-sync", "--locale=C.UTF-8")
	initdb.SysProcAttr, initdb.Dir = attributes, dir
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	addr := FreeAddress(t)
	_, port, _ := strings.Cut(addr, ":")
	server := exec.Command(filepath.Join(bin, "postgres"), "-D", data, "-c", "listen_addresses=127.0.0.1", "-p", port,
		"-c", "unix_socket_directories=", "-c", "fsync=off")
	server.SysProcAttr, server.Dir = attributes, dir
	Must(t, server.Start())
	t.Cleanup(func() {
		_ = server.Process.Signal(os.Interrupt)
		_ = server.Wait()
	})
	Eventually(t, 30*time.Second, "PostgreSQL takes connections", func() bool {
		return exec.Command(filepath.Join(bin, "pg_isready"), "-h", "127.0.0.1", "-p", port).Run() == nil
	})
	return addr
}
