package bubblewrap

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/plugins"
)

// oddModules are modules whose import can't be repeated, and some whose can.
func oddModules() map[string]string {
	return map[string]string{
		"starts_thread": "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
		"opens_file":    "import os\nkept = os.open('/dev/null', 0)",
		"sets_signal":   "import signal\nsignal.signal(signal.SIGUSR1, signal.SIG_IGN)",
		"sets_variable": "import os\nos.environ['ODD'] = '1'",
		"goes_away":     "import os\nos.chdir('/usr')",
		"fails":         "raise ValueError('no')",
		"ends":          "import os\nos._exit(0)",
		"changes_other": "import base\nbase.value = 2",
		"counts":        "import os\nvalue = os.getpid()",
		"base":          "value = 1",
		"plain": "import atexit, base, os, warnings\natexit.register(len, [])\nwarnings.simplefilter('error')\n" +
			"os.register_at_fork(after_in_child=len)\nos.getcwd()",
		"package/__init__": "from . import first",
		"package/first":    "import sys\ntry:\n    import nowhere\nexcept ImportError:\n    from base import value",
		"package/second":   "import package.first",
	}
}

// importing runs Python that begins as a template does.
func importing(t *testing.T, program string) string {
	t.Helper()
	dir := t.TempDir()
	for name, source := range oddModules() {
		file := filepath.Join(dir, name+".py")
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	head, _, _ := strings.Cut(string(templateSource), "\nCONTROL_FD")
	file := filepath.Join(t.TempDir(), "program.py")
	program = head + "\nfor name in set(sys.modules) - LOADED:\n    del sys.modules[name]\n" + string(importsSource) + program
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "/usr/bin/python3", "-s", "-B", file)
	cmd.Env = []string{"PYTHONPATH=" + dir, "PYTHONHASHSEED=0"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

func TestModulesThatCannotBeShared(t *testing.T) {
	t.Parallel()
	names := []string{"nowhere"}
	for name := range oddModules() {
		if !strings.Contains(name, "/") {
			names = append(names, name)
		}
	}
	names = append(names, "package", "package.second")
	slices.Sort(names)
	list, _ := json.Marshal(names)
	var got loaded
	out := importing(t, "print(json.dumps(preload("+string(list)+", False)))")
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := map[string]string{
		"starts_thread": "threads", "opens_file": "descriptors", "sets_signal": "signals", "sets_variable": "environment",
		"goes_away": "environment", "fails": "ValueError: no", "ends": "ended the process", "changes_other": "changes base",
		"counts": "attributes", "nowhere": "ModuleNotFoundError",
	}
	for name, word := range want {
		if !strings.Contains(got.Refused[name], word) {
			t.Errorf("%s: %q, want %q", name, got.Refused[name], word)
		}
	}
	slices.Sort(got.Imports)
	if diff := cmp.Diff([]string{"base", "package", "package.second", "plain"}, got.Imports); diff != "" {
		t.Errorf("%s%v", diff, slices.Sorted(maps.Keys(got.Refused)))
	}
}

func TestAModuleIsGivenOnce(t *testing.T) {
	t.Parallel()
	out := importing(t, `
Recorder(Imports()).record(["plain", "package.second"])
def box(title, code):
    if os.fork() == 0:
        try:
            exec(code, {"sys": sys, "os": os, "title": title})
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        os._exit(0)
    os.wait()
first = sys.meta_path[0]
box("nothing before", "print(title, [n for n in sys.modules if n in ('base', 'plain', 'package')])")
box("all of it", """
import _warnings, atexit
filters, handlers = len(_warnings.filters), atexit._ncallbacks()
import plain
print(title, plain.base is sys.modules['base'], len(_warnings.filters) - filters, atexit._ncallbacks() - handlers)""")
box("parts", """
import package
print(title, hasattr(package, 'first'), hasattr(package, 'second'), 'package.second' in sys.modules)
import package.second
print(title, hasattr(package, 'second'), package.__spec__.loader.__class__.__name__)""")
box("threads", """
import threading
found, start = [], threading.Barrier(20)
def load():
    start.wait()
    import package.second, plain
    found.append((plain, plain.base, package.first, sys.modules['package'].second))
all = [threading.Thread(target=load) for _ in range(20)]
handlers = __import__('atexit')._ncallbacks()
sys.setswitchinterval(1e-6)
[one.start() for one in all]
[one.join() for one in all]
print(title, len(found), len(set(found)), __import__('atexit')._ncallbacks() - handlers)""")
box("specification", """
found = sys.meta_path[0].find_spec("base")
print(title, os.path.basename(found.origin), found.has_location, found.loader.get_source("base"), "base" in sys.modules)""")
box("again", """
import base
old = sys.modules.pop('base')
import base
print(title, base is old)
import importlib
print(title, importlib.reload(base) is base)""")
box("replaced", """
sys.modules['base'] = os
import plain
print(title, plain.base is os)""")
box("another path", """
sys.path[:] = ['', '/nowhere']
try:
    import base
    print(title, 'found')
except ImportError:
    print(title, 'not found')""")
box("own", """
import tempfile
os.chdir(tempfile.mkdtemp())
os.mkdir('base')
sys.path.insert(0, os.getcwd())
import base
print(title, base.value)
open('package.py', 'w').write('mine = True')
import package
print(title, package.mine)""")
`)
	want := `nothing before []
all of it True 1 1
parts True False False
parts True SourceFileLoader
threads 20 1 1
specification base.py True value = 1 False
again False
again True
replaced True
another path not found
own 1
own True
`
	if diff := cmp.Diff(want, out); diff != "" {
		t.Error(diff)
	}
}

// TestTemplatesLoadWhatBoxesWant checks that the next template loads wanted modules, and later ones
// skip the trial.
func TestTemplatesLoadWhatBoxesWant(t *testing.T) {
	b, h := forking(t, 30)
	var log strings.Builder
	h.templates.log = &log
	run := func(id string, wanted ...string) {
		t.Helper()
		if _, err := b.Run(t.Context(), plugins.Spec{ID: id, Imports: wanted}, strings.NewReader("{\"exit\":0}\n"),
			&log); err != nil {
			t.Fatal(err)
		}
		h.templates.starts.Wait()
	}
	has := func(what string, want ...string) {
		t.Helper()
		if got := h.templates.current.loaded.Imports; !slices.Equal(got, want) {
			t.Errorf("%s: the template has %v, want %v; %s", what, got, want, log.String())
		}
	}
	run("a", "csv", "nowhere")
	has("wanted", "csv")
	if !strings.Contains(log.String(), "templates don't load nowhere: its import fails") {
		t.Errorf("the log says %q", log.String())
	}
	first := h.templates.current
	run("b")
	run("c", "csv", "nowhere")
	if h.templates.current != first {
		t.Error("a template was replaced without a reason")
	}
	for i := range 30 {
		run("many-" + strconv.Itoa(i))
	}
	if h.templates.current == first {
		t.Error("no other template took over")
	}
	has("renewed", "csv")
	run("d", "hashlib")
	has("changed", "hashlib")
}
