package cli_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
	"github.com/computclaw/airlock/plugins/sandboxtest"
)

const fileSecret = "kX9vQ2mTz7Lw4RbYc8Ns1Hd6Fj3Gp5Aa"

// artifact is one as the API shows it.
type artifact struct {
	Name, SHA256, Type, URL string
	Size                    int64
	Masked                  int
	Withheld                *struct{ Reason, Key string }
}

type filesDesk struct{ *e2e.Instance }

func (d filesDesk) do(method, path, bearer string, body []byte) (int, []byte, http.Header) {
	d.T.Helper()
	return d.Do(method, path, bearer, "", body)
}

func (d filesDesk) upload(profile, name string, content []byte) (id string) {
	d.T.Helper()
	status, text, _ := d.do("POST", "/files?name="+name, profile, content)
	var file struct {
		FileID string `json:"file_id"`
		Size   int
	}
	if err := json.Unmarshal(text, &file); status != http.StatusCreated || err != nil || file.Size != len(content) {
		d.T.Fatalf("%d %s", status, text)
	}
	return file.FileID
}

// run submits with fields and returns how it ended.
func (d filesDesk) run(profile string, fields map[string]any) (x struct {
	ExecutionID   string `json:"execution_id"`
	Status, Error string
	Result        any
	Artifacts     []artifact
}) {
	d.T.Helper()
	body, err := json.Marshal(fields)
	e2e.Must(d.T, err)
	status, text, _ := d.do("POST", "/execute?wait=50", profile, body)
	if err := json.Unmarshal(text, &x); status != http.StatusOK || err != nil {
		d.T.Fatalf("%d %s", status, text)
	}
	return x
}

// leavesAll leaves a value in every kind of file, beside files without one.
const leavesAll = `
import gzip, io, os, sqlite3, sys, tarfile, zipfile
key = settings["TOKEN"]
rows = files.open("orders.csv").read()
out = os.environ["AIRLOCK_OUT"]
def zipped(**members):
    b = io.BytesIO()
    with zipfile.ZipFile(b, "w", zipfile.ZIP_DEFLATED) as z:
        for name, content in members.items():
            z.writestr(name.replace("_", "."), content)
    return b.getvalue()
sheet = "<worksheet><row><c t='inlineStr'><is><t>%s</t></is></c></row></worksheet>"
save_file("text.csv", "id,key\n1," + key + "\n")
save_file("clean.csv", rows)
save_file("cell.xlsx", zipped(sheet1_xml=sheet % key))
save_file("clean.xlsx", zipped(sheet1_xml=sheet % "nothing"))
save_file("nested.zip", zipped(a_zip=zipped(b_zip=zipped(c_txt="x" * 999 + key))))
with gzip.open(out + "/rows.csv.gz", "wt") as f: f.write("id,key\n" * 999 + "1," + key)
db = sqlite3.connect(out + "/data.sqlite")
db.execute("create table t(a)"); db.execute("insert into t values (?)", ("y" * 4070 + key + "z" * 9000,)); db.commit(); db.close()
save_file("of-" + key + ".txt", "nothing")
with tarfile.open(out + "/logs.tar.gz", "w:gz") as t:
    info = tarfile.TarInfo("a.log"); info.size = len(key); t.addfile(info, io.BytesIO(key.encode()))
save_file("bytes.bin", b"\0\1" + key.encode("utf-16-le"))
save_file("bomb.gz", gzip.compress(bytes(300 << 20), 1))
os.mkdir(out + "/dir"); os.symlink("/etc/passwd", out + "/link")
set_result(len(rows))
`

// onBackends returns an instance with a credential. It has the default backend, or all built-in
// ones with SANDBOX_SUITE.
func onBackends(t *testing.T) (d filesDesk, backends []string) {
	t.Helper()
	e2e.NewWorld(t)
	backends = e2e.Backends()[:1]
	if os.Getenv(sandboxtest.SuiteVariable) != "" {
		backends = e2e.Backends()
	}
	env := append(e2e.Settings(t, backends...), "AIRLOCK_POOL=1", "AIRLOCK_LIMIT_TMP=160MiB")
	d = filesDesk{e2e.StartInstance(t, env...)}
	d.AllReady(backends...)
	d.Admin(fileSecret, "credential", "set", "TOKEN", "--mode", "injected")
	return d, backends
}

// TestFilesInAndArtifactsOut has a script read a file and hide a secret in every kind of file, see
// onBackends. No value comes out or is on the disk.
func TestFilesInAndArtifactsOut(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	d, backends := onBackends(t)
	orders := []byte("id,amount\n" + strings.Repeat("1,2\n", 500_000)) // 2 MB
	for _, backend := range backends {
		profile := d.PlaceProfile(backend, "--key", "TOKEN")
		x := d.run(profile, map[string]any{"script": leavesAll, "timeout": 40,
			"files": map[string]string{"orders.csv": d.upload(profile, "any.csv", orders)}})
		if x.Status != "completed" || x.Result != float64(len(orders)) {
			t.Fatalf("%s: %s, %s, %v", backend, x.Status, x.Error, x.Result)
		}
		const holds = "It holds a secret value."
		want := map[string]string{"text.csv": "", "clean.csv": "", "clean.xlsx": "", "cell.xlsx": holds, "nested.zip": holds,
			"rows.csv.gz": holds, "data.sqlite": holds, "logs.tar.gz": holds, "bytes.bin": holds,
			"of-[REDACTED...p5Aa].txt": "Its name holds a secret value.",
			"bomb.gz":                  "It could not be searched for secret values: it unpacks to more than 256 MiB.",
			"dir":                      "It is a directory. Leave files, or put it into one with shutil.make_archive.",
			"link":                     "It is a symbolic link, and those are not followed."}
		for _, a := range x.Artifacts {
			reason, expected := want[a.Name]
			got := ""
			if a.Withheld != nil {
				got = a.Withheld.Reason
			}
			if !expected || got != reason || (a.URL == "") != (got != "") ||
				strings.Contains(reason, "holds") && a.Withheld.Key != "TOKEN" {
				t.Errorf("%s: %+v %+v", backend, a, a.Withheld)
			}
			delete(want, a.Name)
			if a.URL == "" {
				continue
			}
			status, content, header := d.do("GET", a.URL, "", nil)
			sum := sha256.Sum256(content)
			if status != http.StatusOK || hex.EncodeToString(sum[:]) != a.SHA256 || int64(len(content)) != a.Size ||
				!strings.HasPrefix(header.Get("Content-Disposition"), "attachment") ||
				header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s: %s: %d, %d bytes, %v", backend, a.Name, status, len(content), header)
			}
			if a.Name == "text.csv" && (string(content) != "id,key\n1,[REDACTED...p5Aa]\n" || a.Masked != 1) {
				t.Errorf("%s: %q, %d masked", backend, content, a.Masked)
			}
		}
		if len(want) > 0 {
			t.Errorf("%s: not left: %v", backend, want)
		}
	}
	d.noSecretOnDisk()
}

// noSecretOnDisk looks through the data directory and the log.
func (d filesDesk) noSecretOnDisk() {
	d.T.Helper()
	for _, root := range []string{d.Dir, d.Log, d.Answers} {
		e2e.Must(d.T, filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
			if err != nil || !info.Mode().IsRegular() {
				return nil //nolint:nilerr // it is gone
			}
			text, err := os.ReadFile(path)
			if err == nil && bytes.Contains(text, []byte(fileSecret)) {
				d.T.Errorf("%s holds the value", path)
			}
			return nil
		}))
	}
}

func TestFilesOfOthersAndLinksOfTheRevoked(t *testing.T) {
	t.Parallel()
	d := filesDesk{e2e.StartInstance(t, "AIRLOCK_SANDBOX=bubblewrap", "AIRLOCK_POOL=1")}
	ours, theirs := d.PlaceProfile("bubblewrap"), d.PlaceProfile("bubblewrap")
	id := d.upload(ours, "a.csv", []byte("mine"))
	body, _ := json.Marshal(map[string]any{"script": "1", "files": map[string]string{"a.csv": id}})
	if status, text, _ := d.do("POST", "/execute", theirs, body); status != http.StatusNotFound ||
		!bytes.Contains(text, []byte(`"file_not_found"`)) {
		t.Errorf("another's file: %d %s", status, text)
	}
	script := "save_file('ü 1.txt', files.open('a.csv').read() + str(inputs))"
	x := d.run(ours, map[string]any{"script": script, "files": map[string]string{"a.csv": id}})
	if len(x.Artifacts) != 1 {
		t.Fatalf("%+v", x)
	}
	link := x.Artifacts[0].URL
	if strings.Contains(link, x.ExecutionID) {
		t.Error("the link holds the execution's id, which is a token")
	}
	fetch := func(what, url, bearer string, want int) []byte {
		t.Helper()
		status, text, _ := d.do("GET", url, bearer, nil)
		if status != want {
			t.Errorf("%s: %d, want %d", what, status, want)
		}
		return text
	}
	if got := fetch("the link", link, "", 200); string(got) != "mineNone" {
		t.Errorf("%q", got)
	}
	path := "/executions/" + x.ExecutionID + "/artifacts/%C3%BC%201.txt"
	fetch("the bearer", path, ours, 200)
	fetch("the id alone", path, "", 401)
	fetch("another bearer", path, theirs, 404)
	fetch("another name", strings.Replace(link, "1.txt", "2.txt", 1), "", 404)
	fetch("another time", strings.Replace(link, "expires=", "expires=9", 1), "", 404)
	fetch("all", "/executions/"+x.ExecutionID+"/artifacts.tar.gz", ours, 200)
	fetch("all by the id alone", "/executions/"+x.ExecutionID+"/artifacts.tar.gz", "", 401)

	var again struct{ Artifacts []artifact }
	_, text, _ := d.do("POST", "/executions/"+x.ExecutionID+"/rerun?wait=50", ours, []byte(`{"inputs": 7}`))
	e2e.Must(t, json.Unmarshal(text, &again))
	if len(again.Artifacts) != 1 || string(fetch("the re-run's", again.Artifacts[0].URL, "", 200)) != "mine7" {
		t.Errorf("a re-run: %s", text)
	}
	late := d.run(ours, map[string]any{"script": "save_file('a', 'kept'); import time; time.sleep(60)", "timeout": 1})
	if late.Status != "timeout" || len(late.Artifacts) != 1 || string(fetch("late", late.Artifacts[0].URL, "", 200)) != "kept" {
		t.Errorf("a timeout: %+v", late)
	}
	d.runsCommand(ours)
	if status, _, _ := d.do("DELETE", "/files/"+id, theirs, nil); status != http.StatusNotFound {
		t.Errorf("another deletes it: %d", status)
	}
	if status, _, _ := d.do("DELETE", "/files/"+id, ours, nil); status != http.StatusNoContent {
		t.Errorf("deleting: %d", status)
	}
	if status, text, _ := d.do("POST", "/execute", ours, body); status != http.StatusNotFound {
		t.Errorf("a deleted file: %d %s", status, text)
	}
	d.Admin("", "profile", "revoke", ours)
	e2e.Eventually(t, 10*time.Second, "the link is dead", func() bool {
		status, _, _ := d.do("GET", link, "", nil)
		return status == http.StatusNotFound
	})
}

func (d filesDesk) runsCommand(profile string) {
	d.T.Helper()
	dir := d.T.TempDir()
	script, in, out := filepath.Join(dir, "s.py"), filepath.Join(dir, "local.csv"), filepath.Join(dir, "out", "new")
	e2e.Must(d.T, os.WriteFile(script, []byte("save_file('copy.csv', files.open('orders.csv').read() * 2)\n"+
		"import os; os.mkdir(os.environ['AIRLOCK_OUT'] + '/dir')"), 0o600))
	e2e.Must(d.T, os.WriteFile(in, []byte("1,2\n"), 0o600))
	command := d.Command("run", script, "--file", "orders.csv="+in, "--out", out, "--quiet")
	command.Env = append(command.Env, "AIRLOCK_URL="+d.URL, "AIRLOCK_PROFILE="+profile)
	text, err := command.CombinedOutput()
	got, _ := os.ReadFile(filepath.Join(out, "copy.csv"))
	if err != nil || string(got) != "1,2\n1,2\n" || !strings.Contains(string(text), "dir was withheld: It is a directory.") {
		d.T.Errorf("airlock run: %v, %q\n%s", err, got, text)
	}
}
