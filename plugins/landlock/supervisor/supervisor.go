package supervisor

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/fdlink"
	"github.com/computclaw/airlock/plugins/landlock/ruleset"
)

// Main runs the supervisor's process. It takes a Config from descriptor 3, holds one box, and
// leaves a Report on descriptor 4. It returns an error only if it can't report.
func Main() error {
	runtime.GOMAXPROCS(2)
	debug.SetGCPercent(50)
	signal.Notify(make(chan os.Signal, 1)) // caught and dropped; the backend ends a supervisor by its pipe
	for fd := configFD; fd <= ownFD; fd++ {
		unix.CloseOnExec(fd)
	}
	pipe := os.NewFile(configFD, "config")
	report := os.NewFile(reportFD, "report")
	config, err := readConfig(pipe)
	if err != nil {
		return Report{Error: err.Error()}.write(report)
	}
	w := &supervisor{config: config, pace: make(chan time.Duration, 1)}
	if err := w.open(); err != nil {
		w.abort()
		return Report{Error: err.Error(), Left: w.cleanUp()}.write(report)
	}
	return w.hold(pipe).write(report)
}

type supervisor struct {
	config    Config
	boxThread *thread
	forks     *forkLimit
	mediator  *mediator
	callers   *callers
	link      *fdlink.Link
	watch     *limitWatch
	guest     int
	pace      chan time.Duration // how often to look from now on
	pins      []*os.File         // the ruleset needs them
}

func (w *supervisor) open() error {
	if err := harden(w.config.UID); err != nil {
		return err
	}
	uid := w.config.UID
	var err error
	if w.boxThread, err = newThread(func() error { return actAs(uid) }); err != nil {
		return err
	}
	w.boxThread.do(func() { err = unix.Mkdir(w.config.Tmp, 0o700) })
	if err != nil {
		return fmt.Errorf("make the private directory %s: %w", w.config.Tmp, err)
	}
	link, theirs, err := fdlink.New()
	if err != nil {
		return err
	}
	defer theirs.Close()
	if err := lowerLimits(w.config.Limits, w.config.UID == 0); err != nil {
		return err
	}
	w.link, w.callers = link, newCallers(link)
	if err := w.start(theirs); err != nil {
		return err
	}
	w.watch = &limitWatch{limits: w.config.Limits, tmp: w.config.Tmp, boxThread: w.boxThread,
		ram: inMemory(w.config.Tmp)}
	return w.dropGuestFiles()
}

// abort ends a box that could not be opened as a whole.
func (w *supervisor) abort() {
	if w.guest == 0 {
		return
	}
	w.forks.close()
	go w.clear()
	_ = w.reap()
}

// start enters the ruleset with one thread and forks the guest from it. Another thread answers the
// guest's calls.
func (w *supervisor) start(guestConn *os.File) error {
	mediating, err := newThread(func() error { return actAs(w.config.UID) })
	if err != nil {
		return err
	}
	w.forks = &forkLimit{limit: w.config.Limits.Pids, count: countTasks,
		isGuest: func(thread uint32) bool { return threadOf(w.guest, thread) }}
	w.mediator = &mediator{tmp: w.config.Tmp, forks: w.forks, callers: w.callers}
	ruleset.OnThrowawayThread(func() {
		if err = w.enter(); err == nil {
			go mediating.do(w.mediator.serve)
			w.guest, err = w.fork(guestConn)
		}
	})
	if err != nil {
		return fmt.Errorf("start the guest: %w", err)
	}
	if w.config.UID == 0 {
		if err := raiseOwnLimit(w.guest, w.config.Limits.Files); err != nil {
			return err
		}
	}
	// When the machine runs out of memory, boxes go before Airlock does.
	w.boxThread.do(func() { _ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", w.guest), []byte("500"), 0) })
	return nil
}

// enter puts the calling thread under ruleset and filter. It proves that the thread's signals stay
// inside.
func (w *supervisor) enter() error {
	if err := clearInheritable(); err != nil {
		return err
	}
	var err error
	if w.pins, err = w.config.Ruleset.Enforce(w.config.ABI); err != nil {
		return err
	}
	if w.config.ABI >= ruleset.ScopedABI && !errors.Is(unix.Kill(os.Getppid(), 0), unix.EPERM) {
		return errors.New("this kernel's Landlock lets signals out though it shouldn't")
	}
	listener, err := install(w.config.Filter)
	if err != nil {
		return err
	}
	w.mediator.listener = listener
	w.forks.answer = func(n notification, ok bool) {
		if ok {
			listener.proceed(n)
			return
		}
		listener.answer(n, unix.EAGAIN)
	}
	return nil
}

// fork starts the guest. It must run on the restricted thread, which the guest inherits everything
// from.
func (w *supervisor) fork(guestConn *os.File) (int, error) {
	// Neighbours and Airlock itself go first when all want the processor. The thread's children
	// inherit it.
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, 5)
	path := w.config.Path
	if path == "" {
		path = fmt.Sprintf("/proc/self/fd/%d", guestFD)
	}
	attributes := &syscall.SysProcAttr{Setsid: true}
	if uid := uint32(w.config.UID); uid != 0 {
		attributes.Credential = &syscall.Credential{Uid: uid, Gid: uid, Groups: []uint32{}}
	}
	return syscall.ForkExec(path, w.config.Guest, &syscall.ProcAttr{
		Dir: w.config.Tmp, Env: []string{}, Files: []uintptr{0, 1, 2, guestConn.Fd()}, Sys: attributes,
	})
}

func (w *supervisor) dropGuestFiles() error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	for fd := range 2 {
		if err := unix.Dup3(int(null.Fd()), fd, 0); err != nil {
			return err
		}
	}
	return unix.Close(guestFD)
}

// hold sees the box to its end.
func (w *supervisor) hold(pipe io.Reader) Report {
	go w.serveGuest()
	end := make(chan string, 4) // reasons to end the box
	go func() {
		_, _ = io.Copy(io.Discard, pipe)
		end <- ReasonKilled
	}()
	gone := make(chan ending, 1)
	go func() { gone <- w.reap() }()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	reason := ReasonExit
	for {
		select {
		case e := <-gone:
			return w.report(e, reason)
		case pace := <-w.pace:
			if reason == ReasonExit {
				tick.Reset(pace)
			}
		case why := <-end:
			tick.Reset(interval)
			reason = w.kill(reason, why)
		case <-tick.C:
			if reason != ReasonExit {
				killAll() // again: a fork may have slipped past
			} else if why := w.watch.look(); why != "" {
				tick.Reset(interval)
				reason = w.kill(reason, why)
			}
		}
	}
}

// kill ends the box and returns why it ended: the first cause counts.
func (w *supervisor) kill(earlier, why string) string {
	w.forks.close()
	killAll()
	if earlier != ReasonExit {
		return earlier
	}
	return why
}

// ending is how the guest ended.
type ending struct {
	status unix.WaitStatus
	cpu    time.Duration
	peak   int64
}

// reap waits for every process of the box. When the guest has ended, the rest has to.
func (w *supervisor) reap() ending {
	var e ending
	for {
		var status unix.WaitStatus
		var usage unix.Rusage
		pid, err := unix.Wait4(-1, &status, 0, &usage)
		if err == unix.EINTR {
			continue
		}
		if err != nil { // nobody left
			return e
		}
		e.cpu += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
		e.peak = max(e.peak, usage.Maxrss<<10)
		if pid == w.guest {
			e.status = status
			w.forks.close()
			go w.clear()
		}
	}
}

func (w *supervisor) clear() {
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		killAll()
		time.Sleep(pause)
	}
}

func (w *supervisor) report(e ending, reason string) Report {
	r := Report{
		Code: e.status.ExitStatus(), Reason: reason, Peak: max(e.peak, w.watch.peak), CPU: int64(e.cpu),
		Refused: w.forks.refusals(), Left: w.cleanUp(),
	}
	if e.status.Signaled() {
		r.Code, r.Signal = -1, int(e.status.Signal())
	}
	return r
}

// cleanUp removes the private directory and says what couldn't be.
func (w *supervisor) cleanUp() string {
	if w.boxThread == nil {
		return ""
	}
	var err error
	w.boxThread.do(func() { err = RemoveTree(w.config.Tmp) })
	if err != nil {
		return err.Error()
	}
	return ""
}

// serveGuest does what the guest asks for.
func (w *supervisor) serveGuest() {
	frost := newFreezing(w.forks, w.guest)
	for {
		var m Message
		fds, err := w.link.Receive(&m)
		if err != nil {
			return
		}
		fdlink.CloseAll(fds)
		switch m.Kind {
		case Hello:
			w.callers.hello()
			w.pace <- idleInterval
			err = w.link.Send(Message{Kind: Welcome, ABI: w.config.ABI})
		case Begin:
			w.pace <- interval
		case Freeze:
			w.pace <- interval
			frozen := frost.set(m.On)
			if frozen {
				w.pace <- idleInterval
			}
			err = w.link.Send(Message{Kind: Frozen, On: frozen})
		case Verdict:
			w.callers.decide(m.ID, m.Errno)
		default:
			return
		}
		if err != nil {
			return
		}
	}
}
