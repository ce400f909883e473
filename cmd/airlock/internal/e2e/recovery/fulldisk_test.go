package recovery_test

import (
	"database/sql"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// gatedScript ends when the test opens the gate, with more output than a small write-ahead log
// holds.
const gatedScript = `import urllib.request
urllib.request.urlopen("http://gate.test:8080/").read()
print("x" * 900_000)
save_file("left.txt", "x" * 900_000)
set_result({"done": True})`

// TestFullDisk fills the disk while executions run. New work is refused with a code and a hint, and
// pages say why. Running work ends by itself once there is room, undamaged. Artifacts of that time
// are withheld, with that reason.
func TestFullDisk(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	disk := smallDisk(t, "48m")
	gate, reached := startGate(t)
	in := e2e.StartInstance(t, "AIRLOCK_DATA_DIR="+disk, "AIRLOCK_WORKERS=2", "AIRLOCK_POOL=1",
		"AIRLOCK_LOCAL_SERVICES=gate.test:8080="+gate.address)
	in.Dir = disk
	id := in.Admin("", "profile", "create", "--host", "gate.test:8080")
	in.Admin("", "profile", "lock", id, "--host", "gate.test:8080")
	person := in.Person()
	var all []e2e.Execution
	for range 3 {
		all = append(all, in.Submit(id, gatedScript, 5*time.Minute))
	}
	e2e.Eventually(t, time.Minute, "two scripts run", func() bool { return reached.Load() == 2 })

	emptyWriteAheadLog(in)
	ballast := fill(t, disk)
	refuseNew(in, id)
	if page := person.Get(in, "/ui"); !strings.Contains(page, "The disk is full.") {
		t.Errorf("the overview has no banner: %.2000s", page)
	}
	adviseRoom(in, "admin", "token")
	gate.open()
	e2e.Eventually(t, time.Minute, "an end could not be stored", func() bool {
		log, err := os.ReadFile(in.Log)
		return err == nil && strings.Contains(string(log), "could not store the end of an execution")
	})
	var waiting e2e.Execution
	if code := in.Call(http.MethodGet, "/executions/"+all[2].ID, nil, &waiting); code != http.StatusOK ||
		waiting.Status != "pending" {
		t.Errorf("what waits: %d %s", code, waiting.Status)
	}
	refuseNew(in, id)

	// A clock that was set back while the disk was full kept it full by as much.
	setClock(t, in.Server.Process.Pid, -10*time.Hour)
	e2e.Must(t, os.Remove(ballast))
	var later struct {
		ID string `json:"execution_id"`
	}
	e2e.Eventually(t, time.Minute, "new executions are taken", func() bool {
		return in.Call(http.MethodPost, "/execute", map[string]any{"profile_id": id, "script": gatedScript},
			&later) == http.StatusAccepted
	})
	all = append(all, e2e.Execution{ID: later.ID})
	for _, x := range all {
		if x = in.Await(x, time.Minute); x.Status != "completed" || string(x.Result) != `{"done":true}` ||
			len(x.Stdout) < 900_000 {
			t.Errorf("%s %s: %d bytes of output, result %s", x.Status, x.Error, len(x.Stdout), x.Result)
		}
	}
	const noRoom = "SELECT count(*) FROM artifacts WHERE withheld = 'The server''s disk has no room for it.'"
	withheld, kept := in.Count(noRoom), in.Count("SELECT count(*) FROM artifacts WHERE blob_id IS NOT NULL")
	if withheld == 0 || kept < 2 || withheld+kept != len(all) {
		t.Errorf("%d artifacts were withheld for lack of room, %d kept, of %d", withheld, kept, len(all))
	}
	if page := person.Get(in, "/ui"); strings.Contains(page, "The disk is full.") {
		t.Error("the banner stays")
	}
	log, err := os.ReadFile(in.Log)
	e2e.Must(t, err)
	if full, again := strings.Index(string(log), "the disk is full: "),
		strings.Index(string(log), "the disk has space again: "); full < 0 || again < full {
		t.Errorf("the log says at %d that the disk is full and at %d that it has room", full, again)
	}
	in.Stop()
	in.Sound()
	startWithoutRoom(in)
	if said := in.Admin("", "vacuum"); !strings.HasPrefix(said, "the database took") {
		t.Errorf("vacuum: %s", said)
	}
	in.Sound()
}

// TestRetentionMakesRoom fills the disk below the reserve. Keeping fewer executions lets new ones
// in: their space is reused, though the file doesn't shrink.
func TestRetentionMakesRoom(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	disk := smallDisk(t, "160m")
	in := e2e.StartInstance(t, "AIRLOCK_DATA_DIR="+disk, "AIRLOCK_WORKERS=1", "AIRLOCK_POOL=1")
	in.Dir = disk
	id := in.Admin("", "profile", "create")
	in.Admin("", "profile", "lock", id)
	large := func() e2e.Execution {
		return in.Await(in.Submit(id, `import random; set_result([random.random() for _ in range(100_000)])`, time.Minute),
			time.Minute)
	}
	for range 10 {
		if x := large(); x.Status != "completed" {
			t.Fatalf("%s %s", x.Status, x.Error)
		}
	}
	emptyWriteAheadLog(in)
	fillUp(t, disk, 12<<20) // less than the reserve, and more than its quarter with a write-ahead log of 4 MiB
	refuseNew(in, id)
	in.Stop()
	ageExecutions(in)
	in.Env = append(in.Env, "AIRLOCK_RETENTION_COUNT=1")
	in.Start()
	e2e.Eventually(t, time.Minute, "new executions are taken", func() bool {
		return in.Call(http.MethodPost, "/execute", map[string]any{"profile_id": id, "script": "pass"},
			nil) == http.StatusAccepted
	})
	if x := large(); x.Status != "completed" {
		t.Errorf("%s %s", x.Status, x.Error)
	}
	var fs unix.Statfs_t
	e2e.Must(t, unix.Statfs(disk, &fs))
	if free := int64(fs.Bavail) * fs.Bsize; free >= int64(fs.Blocks)*fs.Bsize/10 {
		t.Errorf("%d bytes are free: that was no proof", free)
	}
	in.Stop()
	in.Sound()
}

func smallDisk(t *testing.T, size string) string {
	t.Helper()
	e2e.Shell(t, "ip", "link", "set", "lo", "up")
	disk := t.TempDir()
	e2e.Shell(t, "mount", "-t", "tmpfs", "-o", "mode=700,size="+size, "tmpfs", disk)
	t.Cleanup(func() { e2e.Shell(t, "umount", "-l", disk) })
	return disk
}

// ageExecutions makes a stopped server's executions old enough for retention.
func ageExecutions(in *e2e.Instance) {
	in.T.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(in.Dir, "airlock.db")+"?_pragma=busy_timeout(10000)")
	e2e.Must(in.T, err)
	defer db.Close()
	_, err = db.Exec("UPDATE executions SET completed_at = completed_at - ?", (2 * time.Hour).Milliseconds())
	e2e.Must(in.T, err)
}

// startWithoutRoom starts a server on a full disk: it ends, and says what to do.
func startWithoutRoom(in *e2e.Instance) {
	in.T.Helper()
	defer os.Remove(fill(in.T, in.Dir))
	adviseRoom(in, "serve")
}

// adviseRoom runs a command without room, which must tell its user what to do.
func adviseRoom(in *e2e.Instance, args ...string) {
	in.T.Helper()
	command := exec.CommandContext(in.T.Context(), in.Binary, args...)
	command.Env = in.Env
	said, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(said), "there is no room on the disk of "+in.Dir) ||
		!strings.Contains(string(said), "Make room on it") || strings.Contains(string(said), "Ask the operator") {
		in.T.Errorf("%v on a full disk: %v %s", args, err, said)
	}
}

// refuseNew checks what agents are told.
func refuseNew(in *e2e.Instance, profile string) {
	in.T.Helper()
	for path, body := range map[string]any{"/execute": map[string]any{"profile_id": profile, "script": "pass"},
		"/profiles": map[string]any{"description": "one more"}} {
		var refused struct {
			Error struct{ Code, Message, Hint string }
		}
		if code := in.Call(http.MethodPost, path, body, &refused); code != http.StatusServiceUnavailable ||
			refused.Error.Code != string(app.CodeStorageFull) || refused.Error.Hint == "" {
			in.T.Errorf("%s: %d %+v", path, code, refused)
		}
	}
	var health struct{ Full bool }
	if code := in.Call(http.MethodGet, "/health", nil, &health); code != http.StatusOK || !health.Full {
		in.T.Errorf("health: %d %+v", code, health)
	}
}

// emptyWriteAheadLog takes the room of a running server's log, which could still store an end.
func emptyWriteAheadLog(in *e2e.Instance) {
	in.T.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(in.Dir, "airlock.db")+"?_pragma=busy_timeout(1000)")
	e2e.Must(in.T, err)
	defer db.Close()
	e2e.Eventually(in.T, time.Minute, "the write-ahead log is empty", func() bool {
		var busy, frames, moved int
		err := db.QueryRow("PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &moved)
		return err == nil && busy == 0
	})
}

func fillUp(t *testing.T, dir string, left int64) {
	t.Helper()
	var fs unix.Statfs_t
	e2e.Must(t, unix.Statfs(dir, &fs))
	f, err := os.Create(filepath.Join(dir, "ballast"))
	e2e.Must(t, err)
	defer f.Close()
	e2e.Must(t, unix.Fallocate(int(f.Fd()), 0, 0, int64(fs.Bavail)*fs.Bsize-left))
}

func fill(t *testing.T, dir string) string {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "ballast"))
	e2e.Must(t, err)
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	return f.Name()
}

type gate struct {
	address string
	opened  chan struct{}
}

func (g gate) open() { close(g.opened) }

func startGate(t *testing.T) (g gate, reached *atomic.Int64) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	e2e.Must(t, err)
	g, reached = gate{l.Addr().String(), make(chan struct{})}, &atomic.Int64{}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		select {
		case <-g.opened:
		case <-r.Context().Done():
		}
		_, _ = io.WriteString(w, "open")
	})}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { server.Close() })
	return g, reached
}
