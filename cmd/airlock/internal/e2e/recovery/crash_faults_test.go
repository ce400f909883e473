package recovery_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// fault is one way to break it. strike returns when the cause is gone, and reports whether it hit
// anything. The server then has to recover by itself.
type fault struct {
	name   string
	strike func(*crash) bool
	disk   bool // the disk keeps the server from writing
}

func faults() []fault {
	return []fault{
		{"the server is killed", serverKilled, false},
		{"the server is stopped", serverStopped, false},
		{"the server is killed while it stops", killedWhileStopping, false},
		{"the server is killed while it starts", killedWhileStarting, false},
		{"a plugin is killed", func(c *crash) bool { return c.kill(c.plugins) }, false},
		{"the server and a plugin are killed", func(c *crash) bool { return both(c.kill(c.plugins), serverKilled(c)) },
			false},
		{"guests are killed", guestsKilled, false},
		{"guests in containers are killed", func(c *crash) bool { return c.kill(c.contained) }, false},
		{"the engine is killed", engineKilled, false},
		{"the engine is restarted", engineRestarted, false},
		{"the server and the engine are killed", serverAndEngineKilled, false},
		{"the disk is full", diskFull, true},
		{"the disk is full and the server is killed", fullAndKilled, true},
		{"the store can't be written", unwritable, true},
		{"the store is read-only at the start", readOnlyStart, true},
		{"somebody else holds the database", heldDatabase, false},
		{"the clock is stepped", stepped, false},
		{"the link is cut", func(c *crash) bool { return c.cut(func() { c.while(1500 * time.Millisecond) }) }, false},
		{"the link is lost", func(c *crash) bool { return c.cut(func() { time.Sleep(6 * time.Second) }) }, false},
		{"a credential is set and the command is killed", tokenCut, false},
	}
}

// restart starts the server after its end, which must have ended its children. It returns true.
func (c *crash) restart() bool {
	c.t.Helper()
	var left []string
	defer func() {
		if len(left) > 0 {
			c.t.Logf("left: %q", left)
		}
	}()
	e2e.Eventually(c.t, 30*time.Second, "the dead server's boxes are gone", func() bool {
		left = c.strays()
		return len(left) == 0
	})
	c.orphans = append(c.orphans, c.engine.Containers(c.t, "airlock.instance")...)
	c.in.Start()
	c.check()
	return true
}

func (c *crash) cut(meanwhile func()) bool {
	hit := c.target(func() bool { return len(c.machine.Boxes()) > 0 })
	c.machine.Cut()
	meanwhile()
	c.machine.Mend()
	return hit
}

const roomy = "size=1g"

// fill fills the data directory's file system. If the load makes it grow, it can't be made so
// small.
func (c *crash) fill() bool {
	var problem error
	for range 20 {
		var fs unix.Statfs_t
		e2e.Must(c.t, unix.Statfs(c.in.Dir, &fs))
		used := (fs.Blocks - fs.Bfree) * uint64(fs.Bsize)
		if problem = exec.Command("mount", "-o", "remount,size="+strconv.FormatUint(used, 10),
			c.in.Dir).Run(); problem == nil {
			break
		}
	}
	return problem == nil
}

// diskFull lasts a while longer than the server needs to say so.
func diskFull(c *crash) bool {
	full := c.fill() && c.target(func() bool { answers, full := c.health(); return answers && full })
	c.while(2 * time.Second)
	c.free()
	return full
}

// roomLeft returns the writable bytes of the data directory's file system. smallWrite is below any
// write of the server.
func (c *crash) roomLeft() uint64 {
	var fs unix.Statfs_t
	e2e.Must(c.t, unix.Statfs(c.in.Dir, &fs))
	return fs.Bavail * uint64(fs.Bsize)
}

const smallWrite = 4 << 10

func (c *crash) free() { e2e.Shell(c.t, "mount", "-o", "remount,"+roomy, c.in.Dir) }

// fullAndKilled also starts the server on a full disk. It may refuse, but must damage nothing.
func fullAndKilled(c *crash) bool {
	full := c.fill()
	c.while(time.Second)
	full = full && c.roomLeft() < smallWrite
	c.stop(unix.SIGKILL)
	c.in.Launch()
	c.while(2 * time.Second)
	c.stop(unix.SIGKILL)
	c.free()
	return c.restart() && full
}

// unwritable makes each database write fail, as on a file system made read-only after an error.
func unwritable(c *crash) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	file, calls := filepath.Join(c.in.Dir, "airlock.db"), filepath.Join(c.t.TempDir(), "calls")
	tracer := exec.CommandContext(ctx, "strace", "-f", "-qq", "-o", calls, "-P", file, "-P", file+"-wal",
		"-e", "trace=pwrite64,write,ftruncate,fsync,fdatasync", "-e",
		"inject=pwrite64,write,ftruncate,fsync,fdatasync:error=EROFS", "-p",
		strconv.FormatUint(uint64(c.in.Server.Process.Pid), 10))
	tracer.Cancel = func() error { return tracer.Process.Signal(unix.SIGTERM) } // so that it lets go
	out, err := tracer.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && ctx.Err() == nil && !errors.As(err, &exit) || strings.Contains(string(out), "attach") {
		c.t.Errorf("strace: %v %s", err, out)
	}
	failed, err := os.ReadFile(calls)
	e2e.Must(c.t, err)
	return strings.Contains(string(failed), "(INJECTED)")
}

func readOnlyStart(c *crash) bool {
	c.stop(unix.SIGKILL)
	e2e.Eventually(c.t, 30*time.Second, "nobody uses the data directory", func() bool {
		return exec.Command("mount", "-o", "remount,ro", c.in.Dir).Run() == nil
	})
	command := exec.Command(c.in.Binary, "serve")
	command.Env = c.in.Env
	out, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "read-only") {
		c.t.Errorf("the server started on a read-only disk, or does not say why not: %v %s", err, out)
	}
	e2e.Shell(c.t, "mount", "-o", "remount,rw", c.in.Dir)
	return c.restart()
}

// heldDatabase has another process hold the write transaction.
func heldDatabase(c *crash) bool {
	db, err := sql.Open("sqlite",
		"file:"+filepath.Join(c.in.Dir, "airlock.db")+"?_pragma=busy_timeout(10000)&_txlock=immediate")
	e2e.Must(c.t, err)
	defer db.Close()
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		c.t.Logf("the database was too busy to be held: %v", err)
		return false
	}
	time.Sleep(300 * time.Millisecond) // long enough for the load to want to write
	if c.hits["somebody else holds the database"]%4 == 1 {
		time.Sleep(11 * time.Second) // longer than anybody waits for it
	} else {
		c.while(2 * time.Second)
	}
	e2e.Must(c.t, tx.Rollback())
	return true
}

// stepped sets the clock of server and plugins, each time differently, within the life of
// idempotency keys.
func stepped(c *crash) bool {
	offset := time.Duration(c.random.IntN(22*3600)-11*3600) * time.Second
	for _, p := range append(c.in.Processes(), e2e.Process{PID: c.in.Server.Process.Pid}) {
		if p.PID == c.in.Server.Process.Pid || strings.Contains(p.Line, " plugin ") {
			setClock(c.t, p.PID, offset)
		}
	}
	var made struct {
		CreatedAt time.Time `json:"created_at"`
	}
	x := c.in.Submit(c.profiles["bubblewrap"], "1", 20*time.Second)
	c.in.Call("GET", "/executions/"+x.ID, nil, &made)
	if off := time.Until(made.CreatedAt) - offset; off.Abs() > time.Minute {
		c.t.Errorf("the clock was stepped by %s, and the server thinks it's %s", offset, made.CreatedAt)
	}
	c.while(time.Second)
	return true
}

// setToken gives the credential a new value.
func (c *crash) setToken() {
	c.in.Admin(c.witness.Mint(), "credential", "set", "TOKEN", "--mode", "sealed", "--host", "witness.test:80",
		"--plain-http")
	c.witness.NoteKept()
}

// tokenCut does the same, but kills the command midway if it can.
func tokenCut(c *crash) bool {
	command := exec.Command(c.in.Binary, "admin", "credential", "set", "TOKEN")
	command.Env, command.Stdin = c.in.Env, strings.NewReader(c.witness.Mint())
	e2e.Must(c.t, command.Start())
	c.while(100 * time.Millisecond)
	_ = command.Process.Kill()
	err := command.Wait()
	switch {
	case err == nil:
		c.witness.NoteKept()
	case !wasKilled(command):
		c.t.Errorf("a credential could not be set: %v", err)
	}
	return wasKilled(command)
}

// useToken checks the present value, which must not be a replaced one, and sets another. The next
// script on each backend has to bring that.
func (c *crash) useToken() {
	c.t.Helper()
	found := ""
	for name := range c.profiles {
		token := c.tokenOn(name)
		if found != "" && token != found {
			c.t.Errorf("%s came with another credential than the backend before: %q, %q", name, token, found)
		}
		found = token
	}
	c.setToken()
	for name := range c.profiles {
		token := c.tokenOn(name)
		if newest := c.witness.Newest(); token != newest {
			c.t.Errorf("%s at last: the credential was %q, want %q", name, token, newest)
		}
	}
}

func (c *crash) tokenOn(backend string) string {
	c.t.Helper()
	nonce := "last-" + strconv.FormatUint(c.random.Uint64(), 10)
	c.witness.Expect(nonce)
	var x e2e.Execution
	c.in.Call("POST", "/execute",
		map[string]any{"profile_id": c.profiles[backend], "script": crashScript, "timeout": 20,
			"inputs": map[string]any{"nonce": nonce, "output": 0, "seconds": 0, "asks": false}}, &x)
	if x = c.in.Await(x, time.Minute); x.Status != "completed" || string(x.Result) != `"`+nonce+`"` ||
		c.witness.Count(nonce) != 1 {
		c.t.Errorf("%s at last: %s %s %s, and ran %d times", backend, x.Status, x.Error, x.Result, c.witness.Count(nonce))
	}
	c.witness.Mu.Lock()
	defer c.witness.Mu.Unlock()
	return c.witness.Last
}
