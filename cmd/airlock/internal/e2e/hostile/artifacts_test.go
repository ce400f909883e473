package hostile_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

const (
	givenContent = "0123456789abcdef"
	givenSize    = 1 << 20
)

// copies reads its read-only file, and leaves a copy.
const copies = `
import os, time
for attempt in (lambda: files.open("a.txt", "a"), lambda: open(os.environ["AIRLOCK_FILES"] + "/b", "w"),
                lambda: os.remove(files.path("a.txt"))):
    try:
        attempt()
        raise SystemExit("the input can be changed")
    except PermissionError:
        pass
save_file("copy", files.open("a.txt").read())
`

// leavesOddly leaves whatever a collector could trip over.
const leavesOddly = `
import gzip, os, socket
out = os.fsencode(os.environ["AIRLOCK_OUT"])
os.chdir(out)
def tries(call, *args):
    try:
        call(*args)
    except OSError:
        pass
os.symlink("/etc/passwd", "link")
os.symlink("/proc/self/root", "link-to-dir")
os.mkdir("dir")
os.mkfifo("fifo")
tries(socket.socket(socket.AF_UNIX).bind, "socket")
tries(os.mknod, "device", 0o20666, os.makedev(1, 5))
for name in (b"a\nb", b"\xff\xfe", "\u202egpj.exe".encode(), "e\u0301".encode(), b"back\\slash", b"Twin", b"twin"):
    open(name, "w").write("x")
open("closed", "w").write("still ours")
os.chmod("closed", 0)
with open("sparse", "wb") as f:
    tries(f.truncate, 1 << 40)
    if os.path.getsize("sparse") == 0:
        f.truncate(100 << 20)
open("bomb.gz", "wb").write(gzip.compress(bytes(300 << 20), 1))
os.link("twin", "hardlink")
save_file("plain", "fine")
set_result(1)
`

// leavesMany leaves up to 100,000 files.
const leavesMany = `
import os
os.chdir(os.environ["AIRLOCK_OUT"])
made = 0
try:
    for made in range(100_000):
        os.close(os.open("%06d" % made, os.O_CREAT | os.O_WRONLY))
except OSError:
    pass
set_result(made)
`

// leavesElsewhere replaces the directory by a link to the machine's files.
const leavesElsewhere = `
import os, shutil
out = os.environ["AIRLOCK_OUT"]
shutil.rmtree(out)
os.symlink("/etc", out)
set_result(1)
`

// leavings are a script's: reasons of withholding by name, "" for an artifact.
type leavings struct {
	name, script, status string
	timeout              int  // seconds
	cancel               bool // once it runs
	artifacts            map[string]string
	more                 bool // and others, with a row that counts those that weren't collected
}

// special is the reason for devices, pipes and sockets.
const special = "It is not a regular file."

func leavingCases() []leavings {
	const link = "It is a symbolic link, and those are not followed."
	odd := map[string]string{"link": link, "link-to-dir": link, "fifo": special, "plain": "", "closed": "",
		"hardlink": "", "Twin": "", "twin": "Its name differs from another one's in case only.",
		"dir":     "It is a directory. Leave files, or put it into one with shutil.make_archive.",
		"sparse":  "It is too large: the files of an execution may have 64 MiB together.",
		"bomb.gz": "It could not be searched for secret values: it unpacks to more than 256 MiB."}
	return []leavings{
		{name: "completed", script: copies, status: "completed", artifacts: map[string]string{"copy": ""}},
		{name: "exception", script: copies + "1/0", status: "error", artifacts: map[string]string{"copy": ""}},
		{name: "killed", script: copies + "os.kill(os.getpid(), 9)", status: "error", artifacts: map[string]string{"copy": ""}},
		{name: "timeout", script: copies + "time.sleep(99)", status: "timeout", timeout: 4,
			artifacts: map[string]string{"copy": ""}},
		{name: "cancelled", script: copies + "print('copied', flush=True)\ntime.sleep(99)", status: "cancelled", cancel: true,
			artifacts: map[string]string{"copy": ""}},
		{name: "odd", script: leavesOddly, status: "completed", artifacts: odd, more: true},
		{name: "many", script: leavesMany, status: "completed", timeout: 300, more: true},
		{name: "elsewhere", script: leavesElsewhere, status: "completed"},
	}
}

// TestArtifactsEverywhere gives scripts a file and takes their artifacts after every kind of end.
// It uses landlock, and with -matrix every backend.
func TestArtifactsEverywhere(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	backends := []string{"landlock"}
	if *matrix {
		backends = e2e.Backends()
	}
	e2e.NewWorld(t)
	env := append(e2e.Settings(t, backends...), "AIRLOCK_POOL=1", "AIRLOCK_LIMIT_TMP=160MiB")
	giveAndTake(t, e2e.StartInstance(t, env...), backends...)
}

// TestArtifactsFromATemplate does the same in forked boxes, whose files a separate program moves.
func TestArtifactsFromATemplate(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	e2e.NewWorld(t)
	in := e2e.StartInstance(t, "AIRLOCK_SANDBOX=bubblewrap", "AIRLOCK_BOX=template", "AIRLOCK_POOL=1",
		"AIRLOCK_LIMIT_TMP=160MiB")
	giveAndTake(t, in, "bubblewrap")
	forked(t, in)
}

func giveAndTake(t *testing.T, in *e2e.Instance, backends ...string) {
	t.Helper()
	in.AllReady(backends...)
	// so that contents are searched
	in.Admin("kX9vQ2mTz7Lw4RbYc8Ns1Hd6Fj3Gp5Aa", "credential", "set", "TOKEN", "--mode", "injected")
	for _, backend := range backends {
		d := leavingsDesk{in, t, in.PlaceProfile(backend, "--key", "TOKEN")}
		var file struct {
			ID string `json:"file_id"`
		}
		content := strings.Repeat(givenContent, givenSize/len(givenContent))
		e2e.Must(t, json.Unmarshal(d.call("POST", "/files?name=a.txt", content), &file))
		for _, c := range leavingCases() {
			t.Run(backend+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				d := leavingsDesk{in, t, d.profile}
				d.judge(c, d.end(c, file.ID), content)
			})
		}
	}
}

type leavingsDesk struct {
	in      *e2e.Instance
	t       *testing.T
	profile string
}

func (d leavingsDesk) call(method, path, body string) []byte {
	d.t.Helper()
	_, text, _ := d.in.Do(method, path, d.profile, "", []byte(body))
	return text
}

// left is how an execution ended.
type left struct {
	ID        string `json:"execution_id"`
	Status    string
	Error     string
	Stdout    string
	Artifacts []struct {
		Name, URL string
		Withheld  *struct{ Reason string }
	}
}

// end runs a case to its end.
func (d leavingsDesk) end(c leavings, file string) (x left) {
	d.t.Helper()
	body, err := json.Marshal(map[string]any{"script": c.script, "timeout": cmp.Or(c.timeout, 40),
		"files": map[string]string{"a.txt": file}})
	e2e.Must(d.t, err)
	path := "/execute?wait=50"
	if c.cancel {
		path = "/execute"
	}
	began := time.Now()
	e2e.Must(d.t, json.Unmarshal(d.call("POST", path, string(body)), &x))
	if c.cancel {
		e2e.Eventually(d.t, time.Minute, "the script has left its file", func() bool {
			e2e.Must(d.t, json.Unmarshal(d.call("GET", "/executions/"+x.ID, ""), &x))
			return strings.Contains(x.Stdout, "copied")
		})
		d.call("POST", "/executions/"+x.ID+"/cancel", "")
	}
	e2e.Eventually(d.t, 5*time.Minute, "the execution has ended", func() bool {
		e2e.Must(d.t, json.Unmarshal(d.call("GET", "/executions/"+x.ID+"?wait=30", ""), &x))
		return x.Status != "pending" && x.Status != "running"
	})
	d.t.Logf("%v", time.Since(began).Round(10*time.Millisecond))
	return x
}

// judge compares an end with the expected one. Unreadable names are listed as text.
func (d leavingsDesk) judge(c leavings, x left, given string) {
	d.t.Helper()
	if x.Status != c.status {
		d.t.Errorf("it ended as %s: %s", x.Status, x.Error)
	}
	want, counted := maps.Clone(c.artifacts), false
	for _, a := range x.Artifacts {
		reason := ""
		if a.Withheld != nil {
			reason = a.Withheld.Reason
		}
		counted = counted || strings.Contains(reason, "more entries were not collected")
		expected, found := want[a.Name]
		switch {
		case !found && (!c.more || slices.Contains([]string{"device", "socket"}, a.Name) && reason != special):
			d.t.Errorf("%q was left: %q", a.Name, reason)
		case found && reason != expected, (a.URL == "") != (reason != ""):
			d.t.Errorf("%q: %q, %q", a.Name, reason, a.URL)
		case strings.ContainsAny(a.Name, "\n\u202e") || strings.ContainsRune(a.Name, 0xfffd) && reason == "":
			d.t.Errorf("the name %q is shown as it is", a.Name)
		}
		delete(want, a.Name)
		if a.Name == "copy" && string(d.call("GET", a.URL, "")) != given {
			d.t.Error("the copy differs")
		}
	}
	if len(want) > 0 {
		d.t.Errorf("not listed: %v\n%+v", want, x.Artifacts)
	}
	if c.name == "many" && (!counted || len(x.Artifacts) != 101) {
		d.t.Errorf("%d of many files are listed, counted: %v", len(x.Artifacts), counted)
	}
}
