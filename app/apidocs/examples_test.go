package apidocs

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
)

// TestExamplesAreForTheProfile: each script uses the profile's grants and is Python.
func TestExamplesAreForTheProfile(t *testing.T) {
	injected := func(name string) app.Key {
		return app.Key{Name: name, CredentialMode: app.ModeInjected, ValueExists: true}
	}
	for name, c := range map[string]struct {
		p         app.Profile
		want, not []string
	}{
		"sealed": {app.Profile{Keys: []app.Key{sealed("TOKEN", "api.example.com")}, Hosts: allowed("api.example.com")},
			[]string{"import urllib.request", `"https://api.example.com/"`, `f"Bearer {token}"`, "placeholder"}, nil},
		"another port": {app.Profile{Keys: []app.Key{sealed("TOKEN", "api.example.com:8443")},
			Hosts: []app.HostRequest{{Host: host1("api.example.com:8443", app.ProtocolHTTPS), Allowed: true}}},
			[]string{`"https://api.example.com:8443/"`}, nil},
		"each to its own host": {app.Profile{Keys: []app.Key{sealed("A", "a.example"), sealed("B", "b.example")},
			Hosts: allowed("b.example", "a.example")},
			[]string{`settings.get("A")`, `"https://a.example/"`, `settings.get("B")`, `"https://b.example/"`}, nil},
		"narrowed wildcard": {app.Profile{Keys: []app.Key{sealed("A", "*.example.com")}, Hosts: allowed("x.example.com")},
			[]string{`"https://x.example.com/"`}, nil},
		"host not allowed": {app.Profile{Keys: []app.Key{sealed("A", "a.example")},
			Hosts: []app.HostRequest{{Host: host1("a.example", "")}}}, []string{`settings.get("A")`, "settings.keys()"},
			[]string{"urlopen"}},
		"injected": {app.Profile{Keys: []app.Key{injected("T")}, Hosts: allowed("a.example")},
			[]string{`"https://a.example/"`}, []string{"placeholder", `settings.get("T")`}},
		"open web": {app.Profile{Hosts: allowed("a.example")}, []string{`"https://a.example/")`}, []string{"settings.get"}},
		"v6":       {app.Profile{Hosts: allowed("[2001:db8::1]:443")}, []string{`"https://[2001:db8::1]/"`}, nil},
		"nothing":  {app.Profile{}, []string{"settings.keys()"}, nil},
		"skills only": {app.Profile{MayRun: app.MayRunApprovedSkills, Hosts: allowed("a.example")}, nil,
			[]string{"urllib", "set_result"}},
		"odd names": {app.Profile{Keys: []app.Key{sealed("class", "a.example"), sealed("__", "a.example")},
			Hosts: allowed("a.example")}, []string{"class_value = ", "_value = "}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			scripts := examples(c.p)
			all := strings.Join(scripts, "\n")
			for _, want := range c.want {
				if !strings.Contains(all, want) {
					t.Errorf("missing %q in\n%s", want, all)
				}
			}
			for _, not := range c.not {
				if strings.Contains(all, not) {
					t.Errorf("%q is in\n%s", not, all)
				}
			}
			for _, script := range scripts {
				check := exec.CommandContext(t.Context(), "python3", "-c", "import ast, sys; ast.parse(sys.stdin.read())")
				check.Stdin = strings.NewReader(script)
				if out, err := check.CombinedOutput(); err != nil {
					t.Errorf("not Python: %v\n%s\n%s", err, out, script)
				}
			}
		})
	}
}
