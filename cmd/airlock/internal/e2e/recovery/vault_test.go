//go:build vault

package recovery_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/computclaw/airlock/app/secrets/vault/vaulttest"
	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestVault runs with a real Vault and PostgreSQL: a sealed value from KV, one lease, a test
// request and rotation. It also kills a server while a script holds the lease.
func TestVault(t *testing.T) {
	t.Parallel()
	const token, rotated = "token-in-vault-0123456789", "rotated-in-vault-9876543210"
	v, db := vaulttest.Start(t), vaulttest.StartPostgres(t, "password-of-the-owner-0123456789")
	v.Database(db, "1h", "2h")
	v.Write("sys/policies/acl/airlock", map[string]any{"policy": `
		path "secret/data/api" { capabilities = ["read"] }
		path "database/creds/reports" { capabilities = ["read"] }
		path "sys/leases/revoke" { capabilities = ["update"] }`})
	v.Put("api", map[string]any{"token": token})
	role, secretID := v.Role("airlock", "1h", "airlock")
	file := filepath.Join(t.TempDir(), "secret-id")
	e2e.Must(t, os.WriteFile(file, []byte(secretID), 0o600))

	var mu sync.Mutex
	var sent []string
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		sent = append(sent, r.Header.Get("Authorization"))
		if got := r.Header.Get("Authorization"); got != "Bearer "+token && got != "Bearer "+rotated {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, "you sent ", r.Header.Get("Authorization"))
	}))
	defer api.Close()
	in := e2e.StartInstance(t, "VAULT_ADDR="+v.URL, "VAULT_ROLE_ID="+role, "VAULT_SECRET_ID_FILE="+file,
		"AIRLOCK_LOCAL_SERVICES=api.test:80="+api.Listener.Addr().String()+",db.test:5432="+db.Address)
	in.Admin("", "credential", "set", "API_TOKEN", "--vault", "secret/data/api#token", "--host", "api.test:80",
		"--plain-http")
	in.Admin("", "credential", "set", "DB_USER", "--vault", "database/creds/reports#username", "--mode", "injected")
	in.Admin("", "credential", "set", "DB_PASS", "--vault", "database/creds/reports#password", "--mode", "injected")
	if shown := in.Admin("", "credential", "show", "API_TOKEN"); !strings.Contains(shown, "yes, version 1") ||
		!strings.Contains(shown, "secret/data/api#token") || strings.Contains(shown, token) {
		t.Errorf("shown: %s", shown)
	}
	if shown := in.Admin("", "credential", "show", "DB_USER"); !strings.Contains(shown, "engine database") ||
		len(db.Users()) != 0 {
		t.Errorf("shown: %s", shown)
	}
	if tested := in.Admin("", "credential", "test", "API_TOKEN", "--host", "api.test:80"); !strings.Contains(tested,
		"put in on the way out") || !strings.Contains(tested, "HTTP 200 with the value, HTTP 401 without it") {
		t.Errorf("tested: %s", tested)
	}
	profile := in.Admin("", "profile", "create", "--key", "API_TOKEN", "--key", "DB_USER", "--key", "DB_PASS", "--host",
		"api.test:80", "--host", "db.test:5432")
	in.Admin("", "profile", "lock", profile)

	const use = `
import httpx, psycopg2
answer = httpx.get("http://api.test/", headers={"Authorization": "Bearer " + settings["API_TOKEN"]}).text
db = psycopg2.connect(host="db.test", dbname="postgres", user=settings["DB_USER"], password=settings["DB_PASS"])
cursor = db.cursor()
cursor.execute("SELECT current_user = %s", (settings["DB_USER"],))
print(settings["API_TOKEN"], settings["DB_USER"], settings["DB_PASS"])
`
	run := func() (answer string) {
		t.Helper()
		x := in.Await(in.Submit(profile, use+`set_result({"answer": answer, "own": cursor.fetchone()[0]})`, time.Minute),
			2*time.Minute)
		var got struct {
			Answer string
			Own    bool
		}
		if x.Status != "completed" || json.Unmarshal(x.Result, &got) != nil || !got.Own {
			t.Fatalf("%s: %s\n%s", x.Status, x.Error, x.Stderr)
		}
		for _, secret := range append([]string{token, rotated}, "v-approle") {
			if strings.Contains(x.Stdout+string(x.Result), secret) {
				t.Errorf("%q came out: %s %s", secret, x.Stdout, x.Result)
			}
		}
		e2e.Eventually(t, time.Minute, "the user is gone", func() bool { return len(db.Users()) == 0 })
		return got.Answer
	}
	first, second := run(), run()
	if first != second || !strings.HasPrefix(first, "you sent Bearer [SEALED") {
		t.Errorf("two runs with the same value gave %q and %q", first, second)
	}
	v.Put("api", map[string]any{"token": rotated})
	run()
	mu.Lock()
	if got := strings.Join(sent, ", "); strings.Count(got, token) != 3 || strings.Count(got, "Bearer "+rotated) != 1 ||
		len(sent) != 6 { // two of them of the test, without the token and with a made-up one
		t.Errorf("the host saw %s", got)
	}
	before := len(sent)
	mu.Unlock()

	in.Submit(profile, use+"import time; time.sleep(600)", 10*time.Minute)
	// Only a running script's lease is surely recorded: unrecorded leases end by themselves.
	e2e.Eventually(t, time.Minute, "a script holds the lease", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(sent) == before+1 && len(db.Users()) == 1
	})
	e2e.Must(t, in.Server.Process.Kill())
	_ = in.Server.Wait()
	if len(db.Users()) != 1 {
		t.Error("the user went with the server")
	}
	in.Start()
	e2e.Eventually(t, time.Minute, "the lease of the dead server is revoked",
		func() bool { return len(db.Users()) == 0 && len(v.Leases("database/creds/reports")) == 0 })
	in.Stop()
	nowhere(t, in, token, rotated, secretID, "hvs.", "v-approle") // and no token of Vault, nor the name of a user it made
}

// nowhere checks all files of the instance, log included, for a secret.
func nowhere(t *testing.T, in *e2e.Instance, secrets ...string) {
	t.Helper()
	files := 0
	for _, root := range []string{in.Dir, in.Log, in.Answers} {
		e2e.Must(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			files++
			for _, s := range secrets {
				if bytes.Contains(text, []byte(s)) {
					t.Errorf("%s holds %s", path, s)
				}
			}
			return err
		}))
	}
	if files < 3 {
		t.Errorf("only %d files were looked through", files)
	}
}
