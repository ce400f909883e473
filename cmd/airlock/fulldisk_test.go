package main

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
)

// gatedScript ends when the test opens the gate, with more output than a small write-ahead log has
// room for.
const gatedScript = `import urllib.request
urllib.request.urlopen("http://gate.test:8080/").read()
print("x" * 900_000)
set_result({"done": True})`

// TestFullDisk fills the disk of the whole program while executions run: what is new is refused
// with a code and a hint, pages say why, what runs ends as soon as there is room again, all by
// itself, and nothing is damaged.
func TestFullDisk(t *testing.T) {
	if !inNamespaces(t) {
		return
	}
	disk := smallDisk(t, "48m")
	gate, reached := startGate(t)
	in := startInstance(t, "AIRLOCK_DATA_DIR="+disk, "AIRLOCK_WORKERS=2", "AIRLOCK_POOL=1",
		"AIRLOCK_LOCAL_SERVICES=gate.test:8080="+gate.address)
	in.dir = disk
	id := in.admin("", "profile", "create", "--host", "gate.test:8080")
	in.admin("", "profile", "lock", id, "--host", "gate.test:8080")
	person := in.person()
	var all []agentView
	for range 3 {
		all = append(all, in.submit(id, gatedScript, 5*time.Minute))
	}
	eventually(t, time.Minute, "two scripts run", func() bool { return reached.Load() == 2 })

	in.emptyWriteAheadLog()
	ballast := fill(t, disk)
	in.refusesNew(id)
	if page := person.get(in, "/ui"); !strings.Contains(page, "The disk is full.") {
		t.Errorf("the overview has no banner: %.2000s", page)
	}
	in.saysHowToMakeRoom("admin", "token")
	gate.open()
	eventually(t, time.Minute, "an end could not be stored", func() bool {
		log, err := os.ReadFile(in.log)
		return err == nil && strings.Contains(string(log), "could not store the end of an execution")
	})
	var waiting agentView
	if code := in.call(http.MethodGet, "/executions/"+all[2].ID, nil, &waiting); code != http.StatusOK ||
		waiting.Status != "pending" {
		t.Errorf("what waits: %d %s", code, waiting.Status)
	}
	in.refusesNew(id)

	// A clock that was set back while the disk was full kept it full by as much.
	setClock(t, in.server.Process.Pid, -10*time.Hour)
	must(t, os.Remove(ballast))
	var later struct {
		ID string `json:"execution_id"`
	}
	eventually(t, time.Minute, "new executions are taken", func() bool {
		return in.call(http.MethodPost, "/execute", map[string]any{"profile_id": id, "script": gatedScript},
			&later) == http.StatusAccepted
	})
	all = append(all, agentView{ID: later.ID})
	for _, x := range all {
		if x = in.await(x, time.Minute); x.Status != "completed" || string(x.Result) != `{"done":true}` ||
			len(x.Stdout) < 900_000 {
			t.Errorf("%s %s: %d bytes of output, result %s", x.Status, x.Error, len(x.Stdout), x.Result)
		}
	}
	if page := person.get(in, "/ui"); strings.Contains(page, "The disk is full.") {
		t.Error("the banner stays")
	}
	log, err := os.ReadFile(in.log)
	must(t, err)
	if full, again := strings.Index(string(log), "the disk is full: "),
		strings.Index(string(log), "the disk has space again: "); full < 0 || again < full {
		t.Errorf("the log says at %d that the disk is full and at %d that it has room", full, again)
	}
	in.stop()
	in.sound()
	in.startsWithoutRoom()
	if said := in.admin("", "vacuum"); !strings.HasPrefix(said, "the database took") {
		t.Errorf("vacuum: %s", said)
	}
	in.sound()
}

// TestRetentionMakesRoom fills the disk with executions and something else, so that less than the
// reserve is free. To keep fewer executions is enough for new ones to be taken: what they held is
// used again, though the file does not shrink.
func TestRetentionMakesRoom(t *testing.T) {
	if !inNamespaces(t) {
		return
	}
	disk := smallDisk(t, "160m")
	in := startInstance(t, "AIRLOCK_DATA_DIR="+disk, "AIRLOCK_WORKERS=1", "AIRLOCK_POOL=1")
	in.dir = disk
	id := in.admin("", "profile", "create")
	in.admin("", "profile", "lock", id)
	large := func() agentView {
		return in.await(in.submit(id, `import random; set_result([random.random() for _ in range(100_000)])`, time.Minute),
			time.Minute)
	}
	for range 10 {
		if x := large(); x.Status != "completed" {
			t.Fatalf("%s %s", x.Status, x.Error)
		}
	}
	in.emptyWriteAheadLog()
	fillUp(t, disk, 12<<20) // less than the reserve, and more than its quarter with a write-ahead log of 4 MiB
	in.refusesNew(id)
	in.stop()
	in.endedLongAgo()
	in.env = append(in.env, "AIRLOCK_RETENTION_COUNT=1")
	in.start()
	eventually(t, time.Minute, "new executions are taken", func() bool {
		return in.call(http.MethodPost, "/execute", map[string]any{"profile_id": id, "script": "pass"},
			nil) == http.StatusAccepted
	})
	if x := large(); x.Status != "completed" {
		t.Errorf("%s %s", x.Status, x.Error)
	}
	var fs unix.Statfs_t
	must(t, unix.Statfs(disk, &fs))
	if free := int64(fs.Bavail) * fs.Bsize; free >= int64(fs.Blocks)*fs.Bsize/10 {
		t.Errorf("%d bytes are free: that was no proof", free)
	}
	in.stop()
	in.sound()
}

// smallDisk mounts one of its own, in the namespaces of a test.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	shell(t, "ip", "link", "set", "lo", "up")
	disk := t.TempDir()
	shell(t, "mount", "-t", "tmpfs", "-o", "mode=700,size="+size, "tmpfs", disk)
	t.Cleanup(func() { shell(t, "umount", "-l", disk) })
	return disk
}

// endedLongAgo makes all executions of a server that is stopped old enough for retention to take
// them.
func (in *testServer) endedLongAgo() {
	in.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(in.dir, "airlock.db"))
	must(in.t, err)
	defer db.Close()
	_, err = db.Exec("UPDATE executions SET completed_at = completed_at - ?", (2 * time.Hour).Milliseconds())
	must(in.t, err)
}

// startsWithoutRoom starts a server on a disk without a free byte: it ends, and says what to do.
func (in *testServer) startsWithoutRoom() {
	in.t.Helper()
	defer os.Remove(fill(in.t, in.dir))
	in.saysHowToMakeRoom("serve")
}

// saysHowToMakeRoom runs a command that finds no room. Whoever runs it is told what to do, not whom
// to ask.
func (in *testServer) saysHowToMakeRoom(args ...string) {
	in.t.Helper()
	command := exec.CommandContext(in.t.Context(), in.binary, args...)
	command.Env = in.env
	said, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(said), "there is no room on the disk of "+in.dir) ||
		!strings.Contains(string(said), "Make room on it") || strings.Contains(string(said), "Ask the operator") {
		in.t.Errorf("%v on a full disk: %v %s", args, err, said)
	}
}

// refusesNew checks what agents are told.
func (in *testServer) refusesNew(profile string) {
	in.t.Helper()
	for path, body := range map[string]any{"/execute": map[string]any{"profile_id": profile, "script": "pass"},
		"/profiles": map[string]any{"description": "one more"}} {
		var refused struct {
			Error struct{ Code, Message, Hint string }
		}
		if code := in.call(http.MethodPost, path, body, &refused); code != http.StatusServiceUnavailable ||
			refused.Error.Code != string(app.CodeStorageFull) || refused.Error.Hint == "" {
			in.t.Errorf("%s: %d %+v", path, code, refused)
		}
	}
	var health struct{ Full bool }
	if code := in.call(http.MethodGet, "/health", nil, &health); code != http.StatusOK || !health.Full {
		in.t.Errorf("health: %d %+v", code, health)
	}
}

// sound checks the database of a server that is stopped.
func (in *testServer) sound() {
	in.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(in.dir, "airlock.db"))
	must(in.t, err)
	defer db.Close()
	var found string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&found); err != nil || found != "ok" {
		in.t.Errorf("integrity: %s %v", found, err)
	}
	if err := db.QueryRow("PRAGMA foreign_key_check").Scan(&found, &found, &found, &found); err != sql.ErrNoRows {
		in.t.Errorf("foreign keys: %v", err)
	}
}

// emptyWriteAheadLog takes the room that the log of a running server keeps on the disk for what it
// writes next, in which an end of an execution could still be stored.
func (in *testServer) emptyWriteAheadLog() {
	in.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(in.dir, "airlock.db")+"?_pragma=busy_timeout(1000)")
	must(in.t, err)
	defer db.Close()
	eventually(in.t, time.Minute, "the write-ahead log is empty", func() bool {
		var busy, frames, moved int
		err := db.QueryRow("PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &moved)
		return err == nil && busy == 0
	})
}

// fillUp writes a file until so many bytes are left beside it.
func fillUp(t *testing.T, dir string, left int64) {
	t.Helper()
	var fs unix.Statfs_t
	must(t, unix.Statfs(dir, &fs))
	f, err := os.Create(filepath.Join(dir, "ballast"))
	must(t, err)
	defer f.Close()
	must(t, unix.Fallocate(int(f.Fd()), 0, 0, int64(fs.Bavail)*fs.Bsize-left))
}

// fill writes a file until not a byte has room beside it, and returns its path.
func fill(t *testing.T, dir string) string {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "ballast"))
	must(t, err)
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	return f.Name()
}

// gate is a host that answers when it is opened.
type gate struct {
	address string
	opened  chan struct{}
}

func (g gate) open() { close(g.opened) }

func startGate(t *testing.T) (g gate, reached *atomic.Int64) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
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
