package vaulttest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
)

// Server is one unsealed Vault. It has KV version 2 at secret/, KV version 1 at kv/ and AppRole at
// approle/.
type Server struct {
	URL  string
	Root string // token that may do everything

	t       testing.TB
	process *exec.Cmd
	unseal  string
}

// Start runs a server until the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	s := Sealed(t)
	s.setUp()
	return s
}

// Sealed runs a server that nobody has initialised yet.
func Sealed(t testing.TB) *Server {
	t.Helper()
	binary, err := Binary(t.Output())
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{t: t, process: exec.Command(binary)} //nolint:gosec // our own program
	stdin, err := s.process.StdinPipe()               // its end ends the server, even if the test dies
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := s.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	s.process.Stderr = &log
	if err := s.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		s.Kill()
		if t.Failed() && log.Len() > 0 {
			t.Logf("the Vault server said:\n%s", log.String())
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("the Vault server did not start: %v", err)
	}
	s.URL = strings.TrimSpace(line)
	return s
}

func (s *Server) setUp() {
	s.t.Helper()
	made := s.Do("PUT", "sys/init", "", map[string]any{"secret_shares": 1, "secret_threshold": 1})
	s.Root, s.unseal = made["root_token"].(string), made["keys"].([]any)[0].(string)
	s.Unseal()
	s.Write("sys/mounts/secret", map[string]any{"type": "kv", "options": map[string]any{"version": "2"}})
	s.Write("sys/mounts/kv", map[string]any{"type": "kv", "options": map[string]any{"version": "1"}})
	s.Write("sys/auth/approle", map[string]any{"type": "approle"})
	// A new mount of KV version 2 isn't ready at once.
	for range 200 {
		if _, status := s.try("POST", "secret/data/ready", s.Root,
			map[string]any{"data": map[string]any{"x": "y"}}); status < 300 {
			return
		}
	}
	s.t.Fatal("KV version 2 did not get ready")
}

// Kill ends the server at once.
func (s *Server) Kill() {
	if s.process.ProcessState == nil {
		_ = s.process.Process.Kill()
		_ = s.process.Wait()
	}
}

// Seal seals it.
func (s *Server) Seal() { s.t.Helper(); s.Do("PUT", "sys/seal", s.Root, nil) }

// Unseal unseals it.
func (s *Server) Unseal() {
	s.t.Helper()
	s.Do("PUT", "sys/unseal", "", map[string]any{"key": s.unseal})
}

// Write writes as root.
func (s *Server) Write(path string, body map[string]any) map[string]any {
	s.t.Helper()
	return s.Do("POST", path, s.Root, body)
}

// Read reads as root; nil if there is nothing.
func (s *Server) Read(path string) map[string]any {
	s.t.Helper()
	answer, status := s.try("GET", path, s.Root, nil)
	if status == http.StatusNotFound {
		return nil
	}
	if status >= 300 {
		s.t.Fatalf("read %s: status %d: %v", path, status, answer)
	}
	return answer
}

// Put stores fields at secret/data/NAME (KV version 2) and returns the version.
func (s *Server) Put(name string, fields map[string]any) int {
	s.t.Helper()
	made := s.Write("secret/data/"+name, map[string]any{"data": fields})
	return int(made["data"].(map[string]any)["version"].(float64))
}

// Policy makes a policy from paths to permissions, such as "read".
func (s *Server) Policy(name string, rules map[string]string) {
	s.t.Helper()
	var text strings.Builder
	for path, may := range rules {
		fmt.Fprintf(&text, "path %q { capabilities = [%q] }\n", path, may)
	}
	s.Write("sys/policies/acl/"+name, map[string]any{"policy": text.String()})
}

// Token makes a token with policies. ttl is as in "1h".
func (s *Server) Token(ttl string, policies ...string) string {
	s.t.Helper()
	made := s.Write("auth/token/create", map[string]any{"policies": policies, "ttl": ttl, "no_parent": true})
	return made["auth"].(map[string]any)["client_token"].(string)
}

// Role makes an AppRole and returns its login. Its tokens have the policies and live for ttl.
func (s *Server) Role(name, ttl string, policies ...string) (roleID, secretID string) {
	s.t.Helper()
	s.Write("auth/approle/role/"+name, map[string]any{"token_policies": policies, "token_ttl": ttl})
	id := s.Read("auth/approle/role/" + name + "/role-id")["data"].(map[string]any)["role_id"].(string)
	secret := s.Write("auth/approle/role/"+name+"/secret-id", nil)["data"].(map[string]any)["secret_id"].(string)
	return id, secret
}

// Revoke ends a token.
func (s *Server) Revoke(token string) {
	s.t.Helper()
	s.Write("auth/token/revoke", map[string]any{"token": token})
}

// Leases returns the ids below a prefix such as database/creds/reports.
func (s *Server) Leases(prefix string) []string {
	s.t.Helper()
	answer, status := s.try("LIST", "sys/leases/lookup/"+prefix, s.Root, nil)
	if status == http.StatusNotFound {
		return nil
	}
	if status >= 300 {
		s.t.Fatalf("list the leases of %s: status %d: %v", prefix, status, answer)
	}
	var ids []string
	for _, k := range answer["data"].(map[string]any)["keys"].([]any) {
		ids = append(ids, prefix+"/"+k.(string))
	}
	return ids
}

// Do sends one request and returns the answer; a refusal fails the test.
func (s *Server) Do(method, path, token string, body map[string]any) map[string]any {
	s.t.Helper()
	answer, status := s.try(method, path, token, body)
	if status >= 300 {
		s.t.Fatalf("%s %s: status %d: %v", method, path, status, answer)
	}
	return answer
}

func (s *Server) try(method, path, token string, body map[string]any) (map[string]any, int) {
	s.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	req, err := http.NewRequest(method, s.URL+"/v1/"+path, bytes.NewReader(text)) //nolint:noctx // ends with the server
	if err != nil {
		s.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("X-Vault-Token", token)
	}
	req.Close = true // nothing of it is left for a test that counts goroutines
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	var answer map[string]any
	_ = json.Unmarshal(raw, &answer) // many answers are empty
	return answer, res.StatusCode
}
