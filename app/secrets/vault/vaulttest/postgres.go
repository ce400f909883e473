package vaulttest

import (
	"fmt"
	"net"
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

// Postgres is a database server of the test's own.
type Postgres struct {
	Address string // host:port on loopback

	t        testing.TB
	password string // of the user airlock
	bin      string
	server   *exec.Cmd
	start    func() *exec.Cmd
}

// StartPostgres runs Debian's PostgreSQL until the test ends. The user airlock logs in with the
// password. Without the server the test fails.
func StartPostgres(t testing.TB, password string) *Postgres {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil || len(found) == 0 {
		t.Fatal("PostgreSQL is missing: apt-get install postgresql")
	}
	p := &Postgres{t: t, password: password, bin: filepath.Dir(slices.Max(found))}
	dir, err := os.MkdirTemp("", "vaulttest-postgres-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	secret := filepath.Join(dir, "password")
	if err := os.WriteFile(secret, []byte(password), 0o644); err != nil { //nolint:gosec // another user reads it
		t.Fatal(err)
	}
	attributes := &syscall.SysProcAttr{}
	if os.Getuid() == 0 { // PostgreSQL refuses to run as root
		attributes.Credential = ownerOf(t, dir)
	}
	data := filepath.Join(dir, "data")
	initdb := exec.Command(filepath.Join(p.bin, "initdb"), "-D", data, "-U", "airlock", "--auth=scram-sha-256",
		"--pwfile="+secret, "--no-sync", "--locale=C.UTF-8")
	initdb.SysProcAttr, initdb.Dir = attributes, dir
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.Address = l.Addr().String()
	_ = l.Close()
	_, port, _ := net.SplitHostPort(p.Address)
	p.start = func() *exec.Cmd {
		server := exec.Command(filepath.Join(p.bin, "postgres"), "-D", data, "-c", "listen_addresses=127.0.0.1",
			"-p", port, "-c", "unix_socket_directories=", "-c", "fsync=off") //nolint:gosec // Debian's own
		server.SysProcAttr, server.Dir = attributes, dir
		return server
	}
	p.Start()
	t.Cleanup(p.Stop)
	return p
}

// Stop ends the server at once; Start restarts it with its data.
func (p *Postgres) Stop() {
	if p.server.ProcessState == nil {
		_ = p.server.Process.Signal(syscall.SIGQUIT)
		_ = p.server.Wait()
	}
}

// Start starts a stopped server and waits until it answers.
func (p *Postgres) Start() {
	p.t.Helper()
	p.server = p.start()
	if err := p.server.Start(); err != nil {
		p.t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; {
		if conn, err := net.Dial("tcp", p.Address); err == nil {
			_ = conn.Close()
			if p.try("SELECT 1") == nil {
				return
			}
		}
		if time.Now().After(end) {
			p.t.Fatal("PostgreSQL does not answer")
		}
	}
}

func ownerOf(t testing.TB, dir string) *syscall.Credential {
	t.Helper()
	owner, err := user.Lookup("postgres")
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := strconv.Atoi(owner.Uid)
	gid, _ := strconv.Atoi(owner.Gid)
	if err := os.Chown(dir, uid, gid); err != nil {
		t.Fatal(err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)} //nolint:gosec // as the system says
}

func (p *Postgres) try(query string) error {
	_, err := p.query(query)
	return err
}

func (p *Postgres) query(query string) (string, error) {
	host, port, _ := net.SplitHostPort(p.Address)
	psql := exec.Command(filepath.Join(p.bin, "psql"), "-h", host, "-p", port, "-U", "airlock",
		"-d", "postgres", "-Atqc", query) //nolint:gosec // the test's own
	psql.Env = append(os.Environ(), "PGPASSWORD="+p.password)
	out, err := psql.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("psql: %w: %s", err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// Users returns the users made by Vault that can log in now.
func (p *Postgres) Users() []string {
	p.t.Helper()
	out, err := p.query("SELECT rolname FROM pg_roles WHERE rolname LIKE 'v-%' AND rolcanlogin ORDER BY 1")
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.Fields(out)
}

// Database mounts the database engine for p with the role reports. Its users may read, for ttl at a
// time and maximum altogether.
func (s *Server) Database(p *Postgres, ttl, maximum string) {
	s.t.Helper()
	s.Write("sys/mounts/database", map[string]any{"type": "database"})
	s.Write("database/config/reports", map[string]any{
		"plugin_name": "postgresql-database-plugin", "allowed_roles": []string{"reports"}, "username": "airlock",
		"password":       p.password,
		"connection_url": "postgresql://{{username}}:{{password}}@" + p.Address + "/postgres?sslmode=disable",
	})
	s.Write("database/roles/reports", map[string]any{
		"db_name": "reports", "default_ttl": ttl, "max_ttl": maximum,
		"creation_statements": []string{`CREATE ROLE "{{name}}" WITH LOGIN PASSWORD '{{password}}' ` +
			`VALID UNTIL '{{expiration}}'`},
	})
}
