package soak_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

func (s *soaker) sample() map[string]int {
	s.t.Helper()
	now := map[string]int{"boxes": 0, "plugins": 0, "log in KiB": 0, "other files": 0, "other files in KiB": 0,
		"goroutines of serve": s.goroutines()}
	for _, p := range append(s.in.Processes(), e2e.Process{PID: s.in.Server.Process.Pid, Line: "serve"}) {
		if strings.HasPrefix(p.Line, "/airlock-init ") && p.Line != "/airlock-init guests " { // which serve boxes
			now["boxes"]++
		}
		name := "serve"
		if p.Line != name {
			if !strings.Contains(p.Line, " plugin ") {
				continue
			}
			name = "the plugin"
			now["plugins"]++
		}
		fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.PID))
		e2e.Must(s.t, err)
		threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", p.PID))
		e2e.Must(s.t, err)
		now["descriptors of "+name] += len(fds)
		now["threads of "+name] += len(threads)
		now["memory of "+name] += e2e.Resident(s.t, p.PID)
	}
	s.disk(now)
	return now
}

// rest waits until nothing is under way, and reads what is held then.
func (s *soaker) rest() map[string]int {
	s.t.Helper()
	e2e.Eventually(s.t, time.Minute, "everything has ended, and the boxes are those kept ready", func() bool {
		s.agent.CloseIdleConnections()
		s.person.CloseIdleConnections()
		http.DefaultClient.CloseIdleConnections()
		return s.in.Count("SELECT count(*) FROM executions WHERE completed_at = 0") == 0 && s.sample()["boxes"] == soakPool
	})
	now := s.settled()
	for range 20 { // what is just ending is not what stays
		time.Sleep(250 * time.Millisecond)
		again := s.settled()
		for what, n := range now {
			now[what] = min(n, again[what])
		}
	}
	for table, n := range s.rows() {
		now["rows of "+table] = n
	}
	return now
}

// settled is a sample at rest.
func (s *soaker) settled() map[string]int {
	s.t.Helper()
	now := s.sample()
	now["live heap of serve"] = s.liveHeap()
	now["processes"] = len(s.in.Processes())
	now["mounts"] = e2e.Lines(s.t, "/proc/self/mountinfo")
	now["control groups"] = len(e2e.GroupsWith(s.t, func(path string) bool { return e2e.OfInstance(path, s.label) }))
	return now
}

// liveHeap returns the KiB that the server holds after a garbage collection.
func (s *soaker) liveHeap() int {
	s.t.Helper()
	found := heapInUse.FindStringSubmatch(s.in.Monitor("/debug/pprof/heap?gc=1&debug=1"))
	if found == nil {
		s.t.Fatal("the heap profile doesn't tell what is in use")
	}
	n, err := strconv.Atoi(found[1])
	e2e.Must(s.t, err)
	return n >> 10
}

var heapInUse = regexp.MustCompile(`(?m)^# HeapAlloc = (\d+)$`)

// disk adds the sizes of data and temporary directories: write-ahead log, database per execution,
// everything else.
func (s *soaker) disk(now map[string]int) {
	s.t.Helper()
	now["database in bytes per execution"] = s.in.Count(
		"SELECT page_count * page_size / max(1, (SELECT count(*) FROM executions)) FROM pragma_page_count(), " +
			"pragma_page_size()")
	for _, dir := range []string{s.in.Dir, s.tmp} {
		e2e.Must(s.t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
			if errors.Is(err, os.ErrNotExist) { // gone in the meantime
				return nil
			}
			if err != nil {
				return err
			}
			info, err := entry.Info()
			if err != nil {
				return nil // likewise
			}
			switch entry.Name() {
			case "airlock.db-wal":
				now["log in KiB"] = int(info.Size() >> 10)
				// The first counts with the log's future part; the second follows the log.
			case "airlock.db", "airlock.db-shm":
			default:
				now["other files"]++
				now["other files in KiB"] += int(info.Size() >> 10)
			}
			return nil
		}))
	}
}

var goroutineCount = regexp.MustCompile(`(?m)^go_goroutines (\d+)$`)

func (s *soaker) goroutines() int {
	s.t.Helper()
	text := s.in.Monitor("/metrics")
	found := goroutineCount.FindStringSubmatch(text)
	if found == nil {
		s.t.Fatalf("/metrics says %s", text)
	}
	n, err := strconv.Atoi(found[1])
	e2e.Must(s.t, err)
	return n
}

// nothingLeft stops the server, which must log nothing and leave only data.
func (s *soaker) nothingLeft() {
	s.t.Helper()
	e2e.Must(s.t, s.in.Server.Process.Signal(unix.SIGTERM))
	if err := s.in.Server.Wait(); err != nil {
		s.t.Errorf("the server ended with %v", err)
	}
	s.logged()
	s.in.Sound()
	var left []string
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		left = e2e.GroupsWith(s.t, func(path string) bool { return e2e.OfInstance(path, s.label) })
		for _, dir := range []string{s.in.Dir, s.tmp} {
			e2e.Must(s.t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
				known := []string{s.in.Dir, s.tmp, s.in.Dir + "/airlock.db", s.in.Dir + "/serve.lock", s.in.Dir + "/keys.lock",
					s.in.Dir + "/instance.key", s.in.Dir + "/sandbox", s.in.Dir + "/sandbox/" + *soakSandbox, s.in.Dir + "/sockets",
					s.in.Dir + "/files"}
				if !slices.Contains(known, path) {
					left = append(left, path)
				}
				return err
			}))
		}
		if len(left) == 0 {
			break
		}
	}
	for _, what := range left {
		s.t.Errorf("left: %s", what)
	}
}
