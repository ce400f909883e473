package recovery_test

import (
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// target waits for something to hit, which the load makes; false if nothing came.
func (c *crash) target(there func() bool) bool {
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if there() {
			return true
		}
	}
	return false
}

// kill ends a random one of the listed processes. It waits for one.
func (c *crash) kill(list func() []int) bool {
	return c.target(func() bool {
		pids := list()
		return len(pids) > 0 && syscall.Kill(pids[c.random.IntN(len(pids))], unix.SIGKILL) == nil
	})
}

func both(one, other bool) bool { return one && other }

// killServer is true if the server was not ending anyway.
func (c *crash) killServer() bool {
	c.stop(unix.SIGKILL)
	return wasKilled(c.in.Server)
}

func wasKilled(command *exec.Cmd) bool {
	status, ok := command.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == unix.SIGKILL
}

// killRunning kills a running server, and fails if it had ended by itself.
func (c *crash) killRunning() bool {
	c.t.Helper()
	killed := c.killServer()
	if !killed {
		c.t.Errorf("the server had ended by itself: %s\n%s", c.in.Server.ProcessState, c.logTail())
	}
	return killed
}

// busy waits until an execution runs or asks, so that the fault hits it.
func (c *crash) busy() bool {
	return c.target(func() bool {
		return c.in.Count("SELECT count(*) FROM executions WHERE status IN ('running', 'awaiting_llm')") > 0
	})
}

// serverKilled starts the server again in any case.
func serverKilled(c *crash) bool {
	c.t.Helper()
	hit := c.busy()
	hit = c.killRunning() && hit
	return c.restart() && hit
}

// serverStopped tells the server to end.
func serverStopped(c *crash) bool {
	c.t.Helper()
	hit := c.busy()
	c.stop(unix.SIGTERM)
	return c.restart() && hit
}

func killedWhileStopping(c *crash) bool {
	_ = c.in.Server.Process.Signal(unix.SIGTERM)
	c.while(150 * time.Millisecond)
	hit := c.killServer()
	return c.restart() && hit
}

func killedWhileStarting(c *crash) bool {
	c.stop(unix.SIGKILL)
	c.in.Launch()
	c.while(time.Second)
	starting := !c.in.IsReady()
	hit := c.killRunning()
	return c.restart() && hit && starting
}

// guestsKilled kills running and waiting guests until an execution has ended by it.
func guestsKilled(c *crash) bool {
	before := c.lostBoxes()
	for range 20 {
		if c.kill(c.guests); c.lostBoxes() > before {
			return true
		}
		c.while(200 * time.Millisecond)
	}
	return c.lostBoxes() > before
}

func (c *crash) lostBoxes() int {
	return c.in.Count("SELECT count(*) FROM executions WHERE error LIKE 'the sandbox was lost%' OR error LIKE 'the " +
		"sandbox ended before%' OR error LIKE 'the script was ended by signal 9%'")
}

// engineKilled leaves containers unattended until the engine is back. Meanwhile no box can be
// opened.
func engineKilled(c *crash) bool {
	hit := c.target(func() bool { return len(c.contained()) > 0 })
	c.engine.Kill(c.t)
	c.while(time.Second)
	c.noteUnattended()
	c.engineBack()
	c.noteHalfMade()
	return hit
}

// noteUnattended records containers that run without an engine. One just starting has no server,
// and a later server may die before it sweeps it.
func (c *crash) noteUnattended() {
	for _, pid := range c.contained() {
		c.unattended[pid] = true
	}
}

// noteHalfMade records containers that a killed engine was making. Nothing runs in them; the engine
// forgets that they have a process.
func (c *crash) noteHalfMade() {
	for _, process := range c.engine.Processes() {
		if strings.Contains(process, " runc init") {
			c.halfMade[process] = true
		}
	}
}

// engineRestarted is what an upgrade does.
func engineRestarted(c *crash) bool {
	hit := c.target(func() bool { return len(c.contained()) > 0 })
	e2e.Must(c.t, c.engine.Stop())
	c.while(time.Second)
	c.engineBack()
	return hit
}

// serverAndEngineKilled leaves containers that only the engine's files know.
func serverAndEngineKilled(c *crash) bool {
	hit := c.target(func() bool { return len(c.contained()) > 0 })
	c.engine.Kill(c.t)
	hit = c.killRunning() && hit
	e2e.Must(c.t, c.engine.Start())
	c.noteHalfMade()
	c.engineless = true
	defer func() { c.engineless = false }()
	return c.restart() && hit
}

// engineBack starts the engine and waits until scripts run on it. Otherwise the load would pass it
// by.
func (c *crash) engineBack() {
	c.t.Helper()
	e2e.Must(c.t, c.engine.Start())
	e2e.Eventually(c.t, 5*time.Minute, "scripts run in containers again", func() bool {
		return c.in.Await(c.in.Submit(c.profiles["docker"], "set_result(1)", 20*time.Second),
			time.Minute).Status == "completed"
	})
}

// swept waits until dead servers' containers are gone, in whatever state, by name.
func (c *crash) swept() {
	c.t.Helper()
	name := func(container string) string { return strings.Fields(container)[1] }
	var left []string
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		left = c.engine.Containers(c.t, "airlock.instance")
		left = slices.DeleteFunc(left, func(one string) bool {
			return !slices.ContainsFunc(c.orphans, func(old string) bool { return name(old) == name(one) })
		})
		if len(left) == 0 {
			break
		}
	}
	for _, one := range left {
		c.t.Errorf("left by a dead server: %s", one)
	}
	c.t.Logf("%d containers outlived their servers and were swept by the next", len(c.orphans)-len(left))
	c.orphans = nil
}

func (c *crash) plugins() (pids []int) {
	for _, p := range c.in.Processes() {
		if strings.Contains(p.Line, " plugin ") {
			pids = append(pids, p.PID)
		}
	}
	return pids
}

func (c *crash) guests() (pids []int) {
	for _, p := range e2e.Under(c.t, syscall.Getpid()) {
		if strings.Contains(p.Line, "airlock-init") || strings.Contains(p.Line, "python3 -") {
			pids = append(pids, p.PID)
		}
	}
	return pids
}

// contained are those in containers.
func (c *crash) contained() (pids []int) {
	for _, line := range c.engine.Processes() {
		number, _, _ := strings.Cut(line, " ")
		pid, err := strconv.Atoi(number)
		e2e.Must(c.t, err)
		pids = append(pids, pid)
	}
	return pids
}
