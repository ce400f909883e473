package runner

import (
	"slices"
	"testing"
)

func TestAskedPlaces(t *testing.T) {
	t.Parallel()
	var a askedPlaces
	a.setLast(50)
	api := place{"api.test", 443}
	a.note(api, 0)
	a.note(api, 99) // beyond the script
	a.note(api, 12)
	a.note(api, 7)
	a.note(place{"api.test", 8443}, 20)
	a.note(place{"named.test", 0}, 30)
	for p, want := range map[place]int{
		api: 12, {"api.test", 8443}: 20, {"api.test", 0}: 12, {"api.test", 80}: 0,
		{"named.test", 443}: 30, {"other.test", 443}: 0,
	} {
		if got := a.lineOf(p); got != want {
			t.Errorf("%v: line %d, want %d", p, got, want)
		}
	}
	if got := a.ports("api.test"); !slices.Equal(got, []int{443, 8443}) {
		t.Errorf("ports %v", got)
	}
}
