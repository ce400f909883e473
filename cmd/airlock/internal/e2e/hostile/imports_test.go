package hostile_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app/imports"
	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// afterImportScript imports inputs' module and returns the changes, without those that always
// differ.
const afterImportScript = `
import json, threading, datetime, traceback, decimal  # which boxes import while they wait
import gc, os, signal, sys, atexit, builtins, _warnings, copyreg
finders = [type(f).__name__ for f in sys.meta_path]
before = list(sys.modules)
error = ""
try:
    __import__(module)
except BaseException as problem:
    error = repr(problem)
after = list(sys.modules)

def constant(value):
    return type(value) in (int, float, str, bytes, bool, type(None)) or type(value) in (tuple, list) and all(map(constant, value))

chance = {"logging": ["_startTime"], "sys": ["orig_argv"]}

def inside(name, module):
    lazy = type(module) is not type(sys) or module.__spec__ is None
    return {key: repr(value) if constant(value) else type(value).__name__ for key, value in sorted(vars(module).items())
        if key not in chance.get(name, ()) and not key.endswith("_addr")} if not lazy else {}

def order(name):
    return [key for key in vars(sys.modules[name])]

set_result({
    "error": error, "before": sorted(before), "brought": [name for name in after if name not in before],
    "inside": {name: hash(repr(inside(name, module))) for name, module in list(sys.modules.items()) if name != "__main__"},
    "order": {name: hash(repr(order(name))) for name in list(sys.modules) if inside(name, sys.modules[name]) and name != "__main__"},
    "itself": inside(module, sys.modules[module]) if not error else {},
    "spec": getattr(getattr(sys.modules.get(module), "__spec__", None), "origin", ""), "loader": type(getattr(sys.modules.get(module), "__loader__", None)).__name__,
    "filters": [str(f) for f in _warnings.filters], "pickling": sorted(map(str, copyreg.dispatch_table)),
    "finders": [f for f in finders if f != "Imports"], "path": sys.path, "hooks": len(sys.path_hooks),
    "exit handlers": [atexit._ncallbacks(), len(threading._threading_atexits)],
    "threads": [threading.active_count(), len(os.listdir("/proc/self/task"))],
    "descriptors": sorted(os.listdir("/proc/self/fd")), "environment": dict(os.environ), "place": os.getcwd(),
    "signals": {s.name: str(signal.getsignal(s)) for s in signal.Signals}, "builtins": sorted(vars(builtins)),
    "collections": [gc.get_threshold(), gc.isenabled()], "main": sorted(vars(sys.modules["__main__"])),
    "loggers": sorted(sys.modules["logging"].root.manager.loggerDict) if "logging" in sys.modules else [],
    "parent": module.rpartition(".")[0] and sorted(vars(sys.modules.get(module.rpartition(".")[0], os))),
})`

// TestModulesOfATemplateAreAsImported compares an import in a fresh box with the module from a
// template. It covers all modules that templates load by themselves.
func TestModulesOfATemplateAreAsImported(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	e2e.NewWorld(t)
	all := imports.Loadable()
	in := e2e.StartInstance(t, "AIRLOCK_SANDBOX=bubblewrap", "AIRLOCK_BOX=template", "AIRLOCK_POOL=1",
		"AIRLOCK_TEMPLATE_IMPORTS="+strings.Join(all, ","))
	in.AllReady("bubblewrap")
	shared, fresh := in.PlaceProfile("bubblewrap"), in.PlaceProfile("bubblewrap", "--fresh")
	loaded := awaitLoaded(t, in, shared, "pandas")
	for _, module := range all {
		state := func(profile string) (found map[string]any) {
			x := in.Await(in.Submit(profile, fmt.Sprintf("module = %q", module)+afterImportScript, time.Minute), time.Minute)
			if x.Status != "completed" {
				t.Fatalf("%s: %s: %s", module, x.Status, x.Error)
			}
			e2e.Must(t, json.Unmarshal(x.Result, &found))
			return found
		}
		want, got := state(fresh), state(shared)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: fresh -, template +: %s", module, diff)
		}
		if installed := want["error"] == ""; installed && !slices.Contains(loaded, module) &&
			!slices.Contains(stringsOf(want["before"]), module) {
			t.Errorf("%s is not in the template", module)
		}
	}
}

func stringsOf(list any) (texts []string) {
	for _, item := range list.([]any) {
		texts = append(texts, item.(string))
	}
	return texts
}

// awaitLoaded waits for a box of a template with a module, and returns all its modules.
func awaitLoaded(t *testing.T, in *e2e.Instance, profile, module string) (loaded []string) {
	t.Helper()
	const script = `
import sys
set_result([name for finder in sys.meta_path for name in getattr(finder, "modules", ())])`
	e2e.Eventually(t, 2*time.Minute, "a template has "+module, func() bool {
		x := in.Await(in.Submit(profile, script, time.Minute), time.Minute)
		if x.Status != "completed" {
			t.Fatalf("%s: %s", x.Status, x.Error)
		}
		e2e.Must(t, json.Unmarshal(x.Result, &loaded))
		return slices.Contains(loaded, module)
	})
	return loaded
}

// TestTemplatesLoadWhatScriptsImport: the next start loads what many recent scripts imported,
// unless the operator names others.
func TestTemplatesLoadWhatScriptsImport(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	e2e.NewWorld(t)
	in := e2e.StartInstance(t, "AIRLOCK_SANDBOX=bubblewrap", "AIRLOCK_BOX=template", "AIRLOCK_POOL=0")
	in.AllReady("bubblewrap")
	profile := in.PlaceProfile("bubblewrap")
	for i := range 20 {
		script := "import csv\nset_result(1)"
		if i%2 == 0 {
			script = "import pandas as pd\nset_result(str(pd.Timestamp(0)))"
		}
		if x := in.Await(in.Submit(profile, script, time.Minute), time.Minute); x.Status != "completed" {
			t.Fatalf("%s: %s", x.Status, x.Error)
		}
	}
	in.Stop()
	in.Start()
	if loaded := awaitLoaded(t, in, profile, "pandas"); !slices.Contains(loaded, "csv") {
		t.Errorf("csv is not in the template: %v", loaded)
	}
	in.Stop()
	in.Env = append(in.Env, "AIRLOCK_TEMPLATE_IMPORTS=xml.etree.ElementTree")
	in.Start()
	loaded := awaitLoaded(t, in, profile, "xml.etree.ElementTree")
	if slices.Contains(loaded, "pandas") || slices.Contains(loaded, "csv") {
		t.Errorf("the template has what the operator didn't name: %v", loaded)
	}
}

// TestOwnFilesComeBeforeModulesOfATemplate, as they do in boxes that have none.
func TestOwnFilesComeBeforeModulesOfATemplate(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	e2e.NewWorld(t)
	in := e2e.StartInstance(t, "AIRLOCK_SANDBOX=bubblewrap", "AIRLOCK_BOX=template", "AIRLOCK_POOL=0",
		"AIRLOCK_TEMPLATE_IMPORTS=csv,email.message,json,statistics,xml.etree.ElementTree")
	in.AllReady("bubblewrap")
	shared, fresh := in.PlaceProfile("bubblewrap"), in.PlaceProfile("bubblewrap", "--fresh")
	awaitLoaded(t, in, shared, "csv")
	const script = `
import os, sys
os.mkdir("statistics")  # no package: the library's comes first
with open("csv.py", "w") as file:
    file.write("mine = True")
import csv, statistics
with open("calendar.py", "w") as file:  # which email needs
    file.write("from locale import *\nmine = True")
seen = []
try:
    import email.message, calendar
    seen = ["email", calendar.mine]
except Exception as error:
    seen = [repr(error)]
import xml.etree.ElementTree as first
kept = sys.modules.pop("xml.etree.ElementTree")
import xml.etree.ElementTree as second
set_result([csv.mine, statistics.mean([1, 3]), seen, first is kept, first is second])`
	var results []string
	for _, profile := range []string{fresh, shared} {
		x := in.Await(in.Submit(profile, script, time.Minute), time.Minute)
		results = append(results, x.Status+x.Error+string(x.Result))
	}
	if results[0] != results[1] || !strings.HasPrefix(results[0], "completed[true") {
		t.Errorf("fresh %s, template %s", results[0], results[1])
	}
}

// numbersScript returns results that depend on threads and their order.
const numbersScript = `
import os
import numpy, pandas
values = numpy.sin(numpy.arange(100001.0))
numpy.random.seed(7)
chosen = numpy.random.normal(size=1000)
frame = pandas.DataFrame({"key": values.round(1), "value": values})
set_result({
    "sums": [values.sum(), values.dot(values), values.mean(), values.std(), values.astype("float32").sum().item()],
    "product": (values[:90000].reshape(300, 300) @ values[:90000].reshape(300, 300)).sum(),
    "inverse": numpy.linalg.inv(values[:10000].reshape(100, 100) + numpy.eye(100)).sum(),
    "random": [chosen.sum(), numpy.random.default_rng(7).normal(), numpy.random.permutation(10)],
    "groups": frame.groupby("key").sum()["value"].tolist(), "described": frame.describe()["value"].tolist(),
    "errors": numpy.geterr(), "options": pandas.get_option("display.max_rows"), "printed": repr(frame),
    "sorted": numpy.argsort(values[:100]), "threads": len(os.listdir("/proc/self/task")),
})`

// TestLoadedModulesComputeTheSame as imported ones, to the last digit.
func TestLoadedModulesComputeTheSame(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	e2e.NewWorld(t)
	in := e2e.StartInstance(t, "AIRLOCK_SANDBOX=bubblewrap", "AIRLOCK_BOX=template", "AIRLOCK_POOL=0",
		"AIRLOCK_TEMPLATE_IMPORTS=numpy,pandas")
	in.AllReady("bubblewrap")
	shared, fresh := in.PlaceProfile("bubblewrap"), in.PlaceProfile("bubblewrap", "--fresh")
	awaitLoaded(t, in, shared, "pandas")
	var want string
	for i := range 10 {
		x := in.Await(in.Submit([]string{fresh, shared}[i%2], numbersScript, time.Minute), time.Minute)
		if x.Status != "completed" {
			t.Fatalf("%s: %s", x.Status, x.Error)
		}
		if want == "" {
			want = string(x.Result)
		} else if got := string(x.Result); got != want {
			t.Errorf("%d: %s, want %s", i, got, want)
		}
	}
}
