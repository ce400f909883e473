package soak_test

import (
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
)

// healthy are samples of a server that holds as much all the time, uneven as they are under load;
// the first third is of one that still warms up.
func healthy(random *rand.Rand) []map[string]int {
	level := map[string]int{
		"boxes": 4, "plugins": 1, "log in KiB": 4400, "other files": 10, "other files in KiB": 24,
		"database in bytes per execution": 7000, "goroutines of serve": 165,
		"descriptors of serve": 60, "threads of serve": 12, "memory of serve": 110 << 10, "live heap of serve": 11 << 10,
		"descriptors of the plugin": 39, "threads of the plugin": 18, "memory of the plugin": 56 << 10,
		"live heap of the plugin": 4300,
	}
	steady := map[string]bool{"plugins": true, "other files": true, "other files in KiB": true,
		"database in bytes per execution": true}
	var samples []map[string]int
	for i := range 60 {
		s := map[string]int{}
		for what, n := range level {
			if !steady[what] {
				n += random.IntN(1 + n/8)
			}
			s[what] = n * (20 + min(i, 20)) / 40
			if steady[what] {
				s[what] = n
			}
		}
		samples = append(samples, s)
	}
	return samples
}

// TestSoakSeesWhatGrows plants a leak of each kind into samples that are otherwise as they should
// be: each is found, by the trend or between two times of rest, and nothing is found where there is
// none.
func TestSoakSeesWhatGrows(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		if found := growth(healthy(random)); len(found) > 0 {
			t.Errorf("nothing grows, and this was found: %q", found)
		}
	}
	// how much more in every sample, of which an hour has one in three quarters of a minute
	for what, each := range map[string]int{
		"boxes": 1, "other files": 1, "other files in KiB": 16, "goroutines of serve": 4,
		"database in bytes per execution": 40, "log in KiB": 400,
		"descriptors of serve": 1, "threads of serve": 1, "memory of serve": 1500, "live heap of serve": 200,
		"descriptors of the plugin": 1, "threads of the plugin": 1, "memory of the plugin": 1 << 10,
		"live heap of the plugin": 160,
	} {
		for seed := range uint64(50) {
			samples := healthy(rand.New(rand.NewPCG(seed, 3)))
			for i, s := range samples {
				s[what] += i * each
			}
			if found := growth(samples); len(found) != 1 || !strings.HasPrefix(found[0], what+" grows") {
				t.Errorf("%s grows by %d each time, and this was found: %q", what, each, found)
			}
		}
	}
	one := func(change func(samples []map[string]int)) []string {
		samples := healthy(random)
		change(samples)
		return growth(samples)
	}
	for name, found := range map[string][]string{
		"a plugin is started beside the first": one(func(s []map[string]int) { grow(s[40:], "plugins", 1) }),
		"something appears that was not there": one(func(s []map[string]int) { grow(s[40:], "strangers", 9) }),
		"something can't be read any more":     one(func(s []map[string]int) { delete(s[59], "memory of serve") }),
		"boxes are not recognised":             one(func(s []map[string]int) { grow(s, "boxes", -1000) }),
		"the plugin is gone for a moment":      one(func(s []map[string]int) { s[50]["plugins"] = 0 }),
		"there are hardly any samples":         growth(healthy(random)[:20]),
		"there are none":                       growth(nil),
	} {
		if len(found) == 0 {
			t.Errorf("%s: nothing was found", name)
		}
	}
}

func grow(samples []map[string]int, what string, by int) {
	for _, s := range samples {
		s[what] += by
	}
}

// TestSoakSeesWhatStays does the same for two times of rest: of what stays behind for one execution
// in twenty, say, there are dozens.
func TestSoakSeesWhatStays(t *testing.T) {
	quiet := healthy(rand.New(rand.NewPCG(5, 6)))[59]
	rest := func() map[string]int {
		s := maps.Clone(quiet)
		for what, n := range map[string]int{"processes": 7, "mounts": 21, "control groups": 8,
			"goroutines in net/http.(*conn).serve": 1} {
			s[what] = n
		}
		return s
	}
	if found := surplus(rest(), rest()); len(found) > 0 {
		t.Errorf("nothing stayed, and this was found: %q", found)
	}
	for what, more := range map[string]int{
		"boxes": 1, "plugins": 1, "processes": 1, "mounts": 1, "control groups": 1, "other files": 1, "other files in KiB": 1,
		"threads of serve": 4, "threads of the plugin": 4,
		"descriptors of serve": 5, "descriptors of the plugin": 5, "goroutines of serve": 5,
		"goroutines in net/http.(*conn).serve": 5, "goroutines in some.new": 5,
		"live heap of serve": 2<<10 + 1, "live heap of the plugin": 4<<10 + 1, "memory of serve": 24<<10 + 1,
		"memory of the plugin": 24<<10 + 1, "log in KiB": 4<<10 + 1,
	} {
		after := rest()
		after[what] += more
		if found := surplus(rest(), after); len(found) != 1 || !strings.HasPrefix(found[0], what+" at rest") {
			t.Errorf("%s is %d more at rest, and this was found: %q", what, more, found)
		}
	}
	if found := surplus(rest(), map[string]int{}); len(found) == 0 {
		t.Error("nothing was read at all, and nothing was found")
	}
}
