package deploy_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
	"github.com/computclaw/airlock/plugins/docker/dockertest"
)

var sandboxRoot = flag.String("sandbox-root", "",
	"directory with a Debian 12 root, on which TestSandboxImage builds the standard image of docker boxes; see the "+
		"Makefile's sandbox-image-test")

// library is a Debian package's: its distribution in GET /packages, a module, and a true
// expression.
type library struct{ distribution, module, use string }

// sandboxLibraries are those of deploy/sandbox/Dockerfile, by package.
func sandboxLibraries() map[string]library {
	return map[string]library{
		"python3-dateutil": {"python-dateutil", "dateutil.parser", `dateutil.parser.parse("2026-01-02").day == 2`},
		"python3-httpx":    {"httpx", "httpx", `httpx.Client() is not None`},
		"python3-jinja2":   {"jinja2", "jinja2", `jinja2.Template("{{ n }}").render(n=1) == "1"`},
		"python3-lxml":     {"lxml", "lxml.etree", `lxml.etree.fromstring("<a><b/></a>").find("b") is not None`},
		"python3-numpy":    {"numpy", "numpy", `numpy.arange(4).sum() == 6`},
		"python3-openpyxl": {"openpyxl", "openpyxl", `openpyxl.Workbook().save("book.xlsx") is None`},
		"python3-pandas":   {"pandas", "pandas", `pandas.DataFrame({"a": [1, 2]}).a.sum() == 3`},
		"python3-psycopg2": {"psycopg2", "psycopg2", `psycopg2.__libpq_version__ > 0`},
		"python3-pymysql":  {"pymysql", "pymysql", `pymysql.converters.escape_string("'") == "\\'"`},
		"python3-requests": {"requests", "requests",
			`requests.Request("GET", "https://a.example").prepare().url == "https://a.example/"`},
		"python3-scipy":    {"scipy", "scipy.optimize", `round(scipy.optimize.brentq(lambda x: x - 2, 0, 3)) == 2`},
		"python3-tabulate": {"tabulate", "tabulate", `"1" in tabulate.tabulate([[1]])`},
		"python3-tz":       {"pytz", "pytz", `pytz.timezone("Europe/Berlin").zone == "Europe/Berlin"`},
		"python3-yaml":     {"pyyaml", "yaml", `yaml.safe_load("a: 1") == {"a": 1}`},
	}
}

// TestSandboxImage builds docker's standard image where there is a root, under the default name. It
// uses each library in a box.
func TestSandboxImage(t *testing.T) {
	libraries := sandboxLibraries()
	source, err := os.ReadFile("../../../../../deploy/sandbox/Dockerfile")
	e2e.Must(t, err)
	promised := slices.Sorted(slices.Values(regexp.MustCompile(`python3-[a-z0-9]+`).FindAllString(string(source), -1)))
	if want := slices.Sorted(maps.Keys(libraries)); !slices.Equal(promised, want) {
		t.Fatalf("the Dockerfile installs %q, known here are %q", promised, want)
	}
	if *sandboxRoot == "" {
		return
	}
	i := &e2e.Image{Engine: dockertest.New(t), T: t, Name: "airlock-sandbox"}
	i.ImportDirectory("debian:12-slim", *sandboxRoot, "")
	i.BuildIn("../../../../../deploy/sandbox", i.Name)
	t.Logf("the image takes %d MB", i.Size()/1e6)
	in := e2e.StartInstance(t, "AIRLOCK_SANDBOX=docker", "AIRLOCK_POOL=0", "AIRLOCK_PLUGIN_DOCKER_HOST="+i.Host())
	x := in.Await(in.Submit(in.PlaceProfile("docker"), usesOf(libraries), time.Minute), 3*time.Minute)
	var found map[string]string
	if err := json.Unmarshal(x.Result, &found); x.Status != "completed" || err != nil {
		t.Fatalf("%s %s %s %v", x.Status, x.Error, x.Stderr, err)
	}
	if listed := packageVersions(in, libraries); !maps.Equal(found, listed) {
		t.Errorf("a script found %v, GET /packages lists %v", found, listed)
	}
}

// usesOf returns a script that uses each library and curl, and returns versions by distribution.
// numpy's OpenBLAS would take a thread per processor.
func usesOf(libraries map[string]library) string {
	var script strings.Builder
	script.WriteString("import importlib.metadata, os, subprocess\nfound = {}\n")
	for _, l := range libraries {
		fmt.Fprintf(&script, "import %s\nassert %s, %q\nfound[%q] = importlib.metadata.version(%q)\n", l.module, l.use,
			l.module, l.distribution, l.distribution)
	}
	script.WriteString("subprocess.run(['curl', '--version'], check=True, capture_output=True)\n")
	script.WriteString("numpy.ones((500, 500)) @ numpy.ones((500, 500))\nassert len(os.listdir('/proc/self/task')) == " +
		"1, 'numpy has threads of its own'\nset_result(found)\n")
	return script.String()
}

func packageVersions(in *e2e.Instance, of map[string]library) map[string]string {
	in.T.Helper()
	var list struct {
		Runtimes []struct {
			Default  bool
			Packages []struct{ Name, Version string }
		}
	}
	if code := in.Call(http.MethodGet, "/packages", nil, &list); code != http.StatusOK {
		in.T.Fatalf("GET /packages: status %d", code)
	}
	listed := map[string]string{}
	for _, r := range list.Runtimes {
		if !r.Default {
			continue
		}
		for _, p := range r.Packages {
			for _, l := range of {
				if l.distribution == p.Name {
					listed[p.Name] = p.Version
				}
			}
		}
	}
	return listed
}
