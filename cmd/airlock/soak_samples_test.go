package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// goroutineSlack is for goroutines that come with a connection or a timer. One that stays behind for each execution or page is far beyond it.
const goroutineSlack = 10

// flat compares the second third of the samples with the last one; the first is for caches to fill.
func flat(t *testing.T, samples []map[string]int) {
	t.Helper()
	third := len(samples) / 3
	for what := range samples[0] {
		middle := func(part []map[string]int) int {
			var values []int
			for _, s := range part {
				values = append(values, s[what])
			}
			slices.Sort(values)
			return values[len(values)/2]
		}
		first, before, after := middle(samples[:third]), middle(samples[third:2*third]), middle(samples[2*third:])
		slack := 6 // threads, boxes, files: what happens to be under way
		switch {
		case strings.HasPrefix(what, "descriptors"):
			slack = 16 // of two boxes more or less that are just being opened or taken down, and connections
		case strings.HasPrefix(what, "goroutines"):
			slack = 100 // 20 long polls and whom they wake
		case strings.HasPrefix(what, "memory"):
			slack = 16<<10 + before/10 // KiB: pages of the database, and what the allocator holds back
		case strings.HasPrefix(what, "log"):
			slack = 8 << 10 // KiB; it is folded in every 4 MiB unless somebody reads
		case strings.HasPrefix(what, "database"):
			slack = before / 10 // the load is the same all the time
		case what == "other files in KiB":
			slack = 1 << 10
		}
		t.Logf("%-32s %8d %8d %8d", what, first, before, after)
		if after > before+slack {
			t.Errorf("%s grows: %d, then %d", what, before, after)
		}
	}
}

// sample reads what the server and its plugin hold.
func (s *soaker) sample(t *testing.T) map[string]int {
	t.Helper()
	now := map[string]int{"boxes": 0, "log in KiB": 0, "other files": 0, "other files in KiB": 0, "goroutines of serve": s.goroutines(t)}
	for _, p := range append(s.in.processes(), process{pid: s.in.server.Process.Pid, line: "serve"}) {
		if strings.HasPrefix(p.line, "/airlock-init ") {
			now["boxes"]++
		}
		if p.line != "serve" && !strings.Contains(p.line, " plugin ") {
			continue
		}
		name := p.line[strings.LastIndex(strings.TrimSpace(p.line), " ")+1:]
		fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.pid))
		must(t, err)
		threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", p.pid))
		must(t, err)
		now["descriptors of "+name], now["threads of "+name], now["memory of "+name] = len(fds), len(threads), resident(t, p.pid)
	}
	s.disk(t, now)
	return now
}

// disk adds what the data directory takes: the write-ahead log, the database for each execution in it, and everything else.
func (s *soaker) disk(t *testing.T, now map[string]int) {
	t.Helper()
	now["database in bytes per execution"] = s.in.count("SELECT page_count * page_size / max(1, (SELECT count(*) FROM executions)) FROM pragma_page_count(), pragma_page_size()")
	must(t, filepath.WalkDir(s.in.dir, func(path string, entry os.DirEntry, err error) error {
		if errors.Is(err, os.ErrNotExist) { // gone in the meantime
			return nil
		}
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return nil // likewise
		}
		switch entry.Name() {
		case "airlock.db-wal":
			now["log in KiB"] = int(info.Size() >> 10)
		case "airlock.db", "airlock.db-shm": // of the first what the log will become of it counts, too; the second follows the log
		default:
			now["other files"]++
			now["other files in KiB"] += int(info.Size() >> 10)
		}
		return nil
	}))
}

var goroutineCount = regexp.MustCompile(`(?m)^go_goroutines (\d+)$`)

// goroutines is how many the server has, as it says itself.
func (s *soaker) goroutines(t *testing.T) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.in.url+"/metrics", nil)
	must(t, err)
	request.Header.Set("Authorization", "Bearer "+suiteToken)
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(t, err)
	found := goroutineCount.FindSubmatch(text)
	if found == nil {
		t.Fatalf("/metrics says %d %s", response.StatusCode, text)
	}
	n, err := strconv.Atoi(string(found[1]))
	must(t, err)
	return n
}
