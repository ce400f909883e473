package soak_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// growth returns what grows under a constant load. It compares the samples' second third with the
// last; caches fill in the first. It uses lower quartiles, which only lasting things raise.
func growth(samples []map[string]int) (found []string) {
	if len(samples) < 30 {
		return []string{fmt.Sprintf("%d samples are too few to see a trend", len(samples))}
	}
	third := len(samples) / 3
	for _, what := range measured(samples...) {
		before, after := floor(samples[third:2*third], what), floor(samples[2*third:], what)
		if slack := trendSlack(what, before); after > before+slack {
			found = append(found, fmt.Sprintf("%s grows: %d, then %d, more than %d", what, before, after, slack))
		}
	}
	return append(found, unmeasured(samples...)...)
}

// surplus lists increases between two rests.
func surplus(before, after map[string]int) (found []string) {
	for _, what := range measured(before, after) {
		if slack := restSlack(what); after[what] > before[what]+slack {
			found = append(found, fmt.Sprintf("%s at rest: %d, then %d, more than %d", what, before[what], after[what], slack))
		}
	}
	return append(found, unmeasured(before, after)...)
}

// measured lists everything in a sample: later kinds were not there before.
func measured(samples ...map[string]int) []string {
	all := map[string]bool{}
	for _, s := range samples {
		for what := range s {
			all[what] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// unmeasured returns what a sample lacks but a running server surely has.
func unmeasured(samples ...map[string]int) (found []string) {
	certain := []string{"boxes", "plugins", "log in KiB", "other files", "database in bytes per execution",
		"goroutines of serve"}
	for _, of := range []string{"serve", "the plugin"} {
		certain = append(certain, "descriptors of "+of, "threads of "+of, "memory of "+of)
	}
	for _, what := range certain {
		if n := slices.IndexFunc(samples, func(s map[string]int) bool { return s[what] <= 0 }); n >= 0 {
			found = append(found, fmt.Sprintf("%s is not known in sample %d", what, n))
		}
	}
	return found
}

// floor is the lower quartile.
func floor(part []map[string]int, what string) int {
	var values []int
	for _, s := range part {
		values = append(values, s[what])
	}
	slices.Sort(values)
	return values[len(values)/4]
}

// trendSlack is how much a floor may rise from before.
func trendSlack(what string, before int) int {
	switch {
	case what == "plugins":
		return 0
	case strings.HasPrefix(what, "goroutines"):
		// 20 long polls change at once, with two each: the connection's and the one that watches it
		return 45
	case strings.HasPrefix(what, "descriptors"):
		return 8 // of a box that is just being opened or taken down, and connections
	case strings.HasPrefix(what, "memory"):
		return 8<<10 + before/20 // KiB: pages of the database, and what the allocator holds back
	case strings.HasPrefix(what, "log"):
		return 4 << 10 // KiB; it is folded in every 4 MiB unless somebody reads
	case strings.HasPrefix(what, "database"):
		return before / 20 // the load is the same all the time
	case what == "other files in KiB":
		return 256
	}
	return 3 // threads, boxes, files: what happens to be under way
}

// restSlack is how much more may be held at rest. It is small: a leak per execution, page or call
// adds a hundred and more.
func restSlack(what string) int {
	switch {
	case strings.HasPrefix(what, "threads"):
		return 3 // the runtime keeps one for each call into the kernel that ever took long at once
	case strings.HasPrefix(what, "descriptors"), strings.HasPrefix(what, "goroutines"):
		return 4 // a connection that is kept
	case strings.HasPrefix(what, "memory"):
		return 24 << 10 // KiB: likewise pages and the allocator, which doesn't give back at once
	case strings.HasPrefix(what, "live heap"):
		return 2 << 10 // KiB; the engine keeps the last 512 ends, which a short run has not filled at first
	case strings.HasPrefix(what, "log"):
		return 4 << 10
	case strings.HasPrefix(what, "rows"), strings.HasPrefix(what, "database"):
		return 1 << 40 // stored says how many there have to be
	}
	return 0
}

func (s *soaker) logTrend(samples []map[string]int, before, after map[string]int) {
	third := len(samples) / 3
	if third == 0 {
		return // growth says so
	}
	s.t.Logf("%-52s %8s %8s %8s %8s %8s", "", "first", "second", "last", "rest", "rest")
	for _, what := range measured(append(samples, before, after)...) {
		show := func(part []map[string]int) string {
			if _, ok := part[0][what]; !ok {
				return ""
			}
			return fmt.Sprint(floor(part, what))
		}
		s.t.Logf("%-52s %8s %8s %8s %8d %8d", what, show(samples[:third]), show(samples[third:2*third]),
			show(samples[2*third:]), before[what], after[what])
	}
}
