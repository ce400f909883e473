package main

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
)

// fault is one way to break it. strike returns when the cause is gone; the server then has to recover by itself. It reports whether it hit anything.
type fault struct {
	name   string
	strike func(*crash) bool
}

func faults() []fault {
	return []fault{
		{"the server is killed", serverKilled},
		{"the server is stopped", func(c *crash) bool { c.stop(unix.SIGTERM); return c.restart() }},
		{"the server is killed while it stops", killedWhileStopping},
		{"the server is killed while it starts", killedWhileStarting},
		{"a plugin is killed", func(c *crash) bool { return c.kill(c.plugins) }},
		{"the server and a plugin are killed", func(c *crash) bool { return both(c.kill(c.plugins), serverKilled(c)) }},
		{"guests are killed", guestsKilled},
		{"guests in containers are killed", func(c *crash) bool { return c.kill(c.contained) }},
		{"the engine is killed", engineKilled},
		{"the engine is restarted", engineRestarted},
		{"the server and the engine are killed", serverAndEngineKilled},
		{"the disk is full", diskFull},
		{"the disk is full and the server is killed", fullAndKilled},
		{"the store can't be written", unwritable},
		{"the store is read-only at the start", readOnlyStart},
		{"somebody else holds the database", heldDatabase},
		{"the clock is stepped", stepped},
		{"the link is cut", func(c *crash) bool { return c.cut(func() { c.while(1500 * time.Millisecond) }) }},
		{"the link is lost", func(c *crash) bool { return c.cut(func() { time.Sleep(6 * time.Second) }) }},
		{"a credential is set and the command is killed", tokenCut},
	}
}

// restart starts the server after its end; what it had started must have ended with it. It is always true.
func (c *crash) restart() bool {
	c.t.Helper()
	var left []string
	defer func() {
		if len(left) > 0 {
			c.t.Logf("left: %q", left)
		}
	}()
	eventually(c.t, 30*time.Second, "the dead server's boxes are gone", func() bool {
		left = c.strays()
		return len(left) == 0
	})
	c.orphans = append(c.orphans, c.engine.Containers(c.t, "airlock.instance")...)
	c.in.start()
	c.check()
	return true
}

// cut breaks the link to the machine, on which there is a box.
func (c *crash) cut(meanwhile func()) bool {
	hit := c.target(func() bool { return len(c.machine.Boxes()) > 0 })
	c.machine.Cut()
	meanwhile()
	c.machine.Mend()
	return hit
}

// roomy is how large the data directory's file system is while nothing is wrong.
const roomy = "size=1g"

// fill leaves no room on the file system of the data directory. The load may let it grow in the meantime; then it can't be made so small.
func (c *crash) fill() bool {
	var problem error
	for range 20 {
		var fs unix.Statfs_t
		must(c.t, unix.Statfs(c.in.dir, &fs))
		used := (fs.Blocks - fs.Bfree) * uint64(fs.Bsize)
		if problem = exec.Command("mount", "-o", "remount,size="+strconv.FormatUint(used, 10), c.in.dir).Run(); problem == nil {
			break
		}
	}
	return problem == nil
}

// diskFull lasts until the server says so, and a while longer.
func diskFull(c *crash) bool {
	full := c.fill() && c.target(func() bool { answers, full := c.health(); return answers && full })
	c.while(2 * time.Second)
	c.free()
	return full
}

func (c *crash) free() { shell(c.t, "mount", "-o", "remount,"+roomy, c.in.dir) }

// fullAndKilled starts the server on a full disk, too. It may refuse or come up; it must not make anything worse.
func fullAndKilled(c *crash) bool {
	full := c.fill()
	c.while(time.Second)
	c.stop(unix.SIGKILL)
	c.in.launch()
	c.while(2 * time.Second)
	c.stop(unix.SIGKILL)
	c.free()
	return c.restart() && full
}

// unwritable makes each write to the database fail, as on a file system that the kernel has made read-only after an error.
func unwritable(c *crash) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	file, calls := filepath.Join(c.in.dir, "airlock.db"), filepath.Join(c.t.TempDir(), "calls")
	tracer := exec.CommandContext(ctx, "strace", "-f", "-qq", "-o", calls, "-P", file, "-P", file+"-wal",
		"-e", "trace=pwrite64,write,ftruncate,fsync,fdatasync", "-e", "inject=pwrite64,write,ftruncate,fsync,fdatasync:error=EROFS", "-p", strconv.FormatUint(uint64(c.in.server.Process.Pid), 10))
	tracer.Cancel = func() error { return tracer.Process.Signal(unix.SIGTERM) } // so that it lets go
	out, err := tracer.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && ctx.Err() == nil && !errors.As(err, &exit) || strings.Contains(string(out), "attach") {
		c.t.Errorf("strace: %v %s", err, out)
	}
	failed, err := os.ReadFile(calls)
	must(c.t, err)
	return strings.Contains(string(failed), "(INJECTED)")
}

// readOnlyStart has the server refuse a data directory that it can't write to, and say so.
func readOnlyStart(c *crash) bool {
	c.stop(unix.SIGKILL)
	eventually(c.t, 30*time.Second, "nobody uses the data directory", func() bool {
		return exec.Command("mount", "-o", "remount,ro", c.in.dir).Run() == nil
	})
	command := exec.Command(c.in.binary, "serve")
	command.Env = c.in.env
	out, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "read-only") {
		c.t.Errorf("the server started on a read-only disk, or does not say why not: %v %s", err, out)
	}
	shell(c.t, "mount", "-o", "remount,rw", c.in.dir)
	return c.restart()
}

// heldDatabase has another process keep the one write transaction that there may be.
func heldDatabase(c *crash) bool {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(c.in.dir, "airlock.db")+"?_pragma=busy_timeout(10000)&_txlock=immediate")
	must(c.t, err)
	defer db.Close()
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		c.t.Logf("the database was too busy to be held: %v", err)
		return false
	}
	c.while(2 * time.Second)
	must(c.t, tx.Rollback())
	return true
}

// stepped sets the clock of the server and its plugins, to another time each time. It stays within what idempotency keys are kept for.
func stepped(c *crash) bool {
	offset := time.Duration(c.random.IntN(22*3600)-11*3600) * time.Second
	for _, p := range append(c.in.processes(), process{pid: c.in.server.Process.Pid}) {
		if p.pid == c.in.server.Process.Pid || strings.Contains(p.line, " plugin ") {
			setClock(c.t, p.pid, offset)
		}
	}
	var made struct {
		CreatedAt time.Time `json:"created_at"`
	}
	x := c.in.submit(c.profiles["bubblewrap"], "1", 20*time.Second)
	c.in.call("GET", "/executions/"+x.ID, nil, &made)
	if off := time.Until(made.CreatedAt) - offset; off.Abs() > time.Minute {
		c.t.Errorf("the clock was stepped by %s, and the server thinks it's %s", offset, made.CreatedAt)
	}
	c.while(time.Second)
	return true
}

// setToken gives the credential a new value.
func (c *crash) setToken() {
	c.in.admin(c.witness.mint(), "credential", "set", "TOKEN", "--mode", "sealed", "--host", "witness.test:80", "--plain-http")
}

// tokenCut does the same and kills the command somewhere in the middle, unless it was quicker.
func tokenCut(c *crash) bool {
	command := exec.Command(c.in.binary, "admin", "credential", "set", "TOKEN")
	command.Env, command.Stdin = c.in.env, strings.NewReader(c.witness.mint())
	must(c.t, command.Start())
	c.while(100 * time.Millisecond)
	_ = command.Process.Kill()
	_ = command.Wait()
	return wasKilled(command)
}

// useToken sets a value, and the next script on each backend has to come with this one.
func (c *crash) useToken() {
	c.setToken()
	for name, profile := range c.profiles {
		var x agentView
		c.in.call("POST", "/execute", map[string]any{"profile_id": profile, "script": crashScript, "timeout": 20, "inputs": map[string]any{"nonce": "last-" + strconv.FormatUint(c.random.Uint64(), 10), "output": 0, "seconds": 0, "asks": false}}, &x)
		if x = c.in.await(x, time.Minute); x.Status != "completed" {
			c.t.Errorf("%s at last: %s %s", name, x.Status, x.Error)
			continue
		}
		c.witness.mu.Lock()
		if newest := c.witness.tokens[len(c.witness.tokens)-1]; c.witness.last != newest {
			c.t.Errorf("%s at last: the credential was %q, want %q", name, c.witness.last, newest)
		}
		c.witness.mu.Unlock()
	}
}
