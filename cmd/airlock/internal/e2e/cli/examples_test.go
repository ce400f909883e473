package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app/secrets/vault/vaulttest"
	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
	"github.com/computclaw/airlock/examples/data"
)

// TestExamples runs each script of examples/ with airlock run, and checks the figures. A weather
// service over TLS and a PostgreSQL are real.
func TestExamples(t *testing.T) {
	t.Parallel()
	const token, password = "weather-token-0123456789abcdef", "correct-horse-battery-staple"
	weather, roots := startWeather(t, token)
	database := vaulttest.StartPostgres(t, password).Address
	fillInvoices(t, database, password)
	in := e2e.StartInstance(t, "AIRLOCK_POOL=1", "AIRLOCK_EXTRA_CA="+roots,
		"AIRLOCK_LOCAL_SERVICES=weather.example.com:443="+weather+",db.example.com:5432="+database)
	in.Admin(token, "credential", "set", "WEATHER_API_TOKEN", "--mode", "sealed", "--host", "weather.example.com")
	in.Admin("https://weather.example.com", "credential", "set", "WEATHER_URL", "--mode", "plain")
	in.Admin(password, "credential", "set", "PG_PASSWORD", "--mode", "injected")
	in.Admin("airlock", "credential", "set", "PG_USER", "--mode", "plain")
	in.Admin("db.example.com", "credential", "set", "PG_HOST", "--mode", "plain")
	profile := in.Admin("", "profile", "create", "--description", "examples", "--key", "WEATHER_API_TOKEN", "--key",
		"WEATHER_URL",
		"--key", "PG_PASSWORD", "--key", "PG_USER", "--key", "PG_HOST", "--host", "weather.example.com", "--host",
		"{PG_HOST}:5432")
	in.Admin("", "profile", "lock", profile)

	tried := []string{"print_token.py", "reach_elsewhere.py"} // TestDemo runs these
	for _, c := range []struct {
		script, inputs, llm, status string
		want                        []string // in the answer
	}{
		{"weather_report.py", `{"year": 2015}`, "echo It rained.", "completed",
			[]string{`"precipitation_mm":"1139.2"`, `"days":365`, `"summary":"It rained."`}},
		{"csv_report.py", `{"year": 2015}`, "", "completed",
			[]string{`"precipitation_tenths_mm":11392`, `"days":365`, `"columns":["days","tenths","warmest","coldest"]`,
				`"credentials":["WEATHER_API_TOKEN"]`}},
		{"postgres_report.py", `{"since": "2026-01-01"}`, "", "completed",
			[]string{`{"customer":"Blue","invoices":2,"amount":"30.75","latest":"2026-02-01"}`, `"total":"35.85"`}},
		{"llm_summary.py", `{"title": "Revenue", "figures": {"January": "10.50", "February": "20.25"}}`,
			"echo Revenue was 30.75.", "completed", []string{`"summary":"Revenue was 30.75."`, `"written_by":"model"`}},
		{"llm_summary.py", `{"title": "Revenue", "figures": {"January": "10.50"}}`, "echo Revenue was 99.", "completed",
			[]string{`"summary":"Revenue is 10.50 in total."`, `"written_by":"script"`, "attempt 2 invented 99"}},
		{"llm_summary.py", `{"title": "Revenue", "figures": {"January": "10.50"}}`, "exit 1", "completed",
			[]string{`"written_by":"script"`, "no model"}},
		{"long_job.py", `{"from": 2014, "to": 2015}`, "", "completed",
			[]string{`"2015":"1139.2"`, `"complete":true`, "100% after", "  4% after"}},
	} {
		t.Run(c.script+" "+c.llm, func(t *testing.T) {
			answer := runExample(in, t, profile, c.script, c.inputs, c.llm)
			if !strings.Contains(answer, `"status":"`+c.status+`"`) {
				t.Fatalf("%s", answer)
			}
			for _, want := range c.want {
				if !strings.Contains(answer, want) {
					t.Errorf("%q is not in %s", want, answer)
				}
			}
			if strings.Contains(answer, token) || strings.Contains(answer, password) {
				t.Error("the answer holds a secret")
			}
		})
		tried = append(tried, c.script)
	}
	scripts, err := filepath.Glob("../../../../../examples/*.py")
	e2e.Must(t, err)
	for _, script := range scripts {
		if !slices.Contains(tried, filepath.Base(script)) {
			t.Errorf("%s was not run", script)
		}
	}
}

// runExample is airlock run --json on an example.
func runExample(in *e2e.Instance, t *testing.T, profile, script, inputs, llm string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "inputs.json")
	e2e.Must(t, os.WriteFile(file, []byte(inputs), 0o600))
	command := exec.Command(in.Binary, "run", filepath.Join("../../../../../examples", script), "--json", "--inputs", file,
		"--llm-command", llm, "--url", in.URL)
	command.Env = append(in.Env, "AIRLOCK_PROFILE="+profile)
	var out, stderr bytes.Buffer
	command.Stdout, command.Stderr = &out, &stderr
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || !json.Valid(out.Bytes()) {
		t.Fatalf("%v\n%s\n%s", err, out.String(), stderr.String())
	}
	return out.String()
}

// startWeather serves examples/data over TLS as weather.example.com.
func startWeather(t *testing.T, token string) (addr, roots string) {
	observations, err := data.Observations()
	e2e.Must(t, err)
	authority := e2e.NewTestAuthority(t)
	roots = filepath.Join(t.TempDir(), "roots.pem")
	e2e.Must(t, os.WriteFile(roots, authority.PEM, 0o644))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	e2e.Must(t, err)
	server := &http.Server{TLSConfig: authority.Config(t, "weather.example.com"),
		Handler: data.Service(token, observations)}
	go func() { _ = server.ServeTLS(l, "", "") }()
	t.Cleanup(func() { server.Close() })
	return l.Addr().String(), roots
}

// fillInvoices gives the database something to report on.
func fillInvoices(t *testing.T, addr, password string) {
	host, port, err := net.SplitHostPort(addr)
	e2e.Must(t, err)
	psql := exec.Command("psql", "-v", "ON_ERROR_STOP=1", "-q", "-h", host, "-p", port, "-U", "airlock", "postgres")
	psql.Env = append(os.Environ(), "PGPASSWORD="+password)
	psql.Stdin = strings.NewReader(`CREATE TABLE invoices (customer text, amount numeric(12,2), issued date);
		INSERT INTO invoices VALUES ('Blue', 10.50, '2026-01-05'), ('Blue', 20.25, '2026-02-01'),
	('Green', 5.10, '2026-01-09'),
	('Blue', 999, '2025-12-31');`)
	if out, err := psql.CombinedOutput(); err != nil {
		t.Fatal(fmt.Errorf("psql: %w\n%s", err, out))
	}
}
