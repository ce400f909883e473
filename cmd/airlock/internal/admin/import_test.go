package admin

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app/transfer"
)

// A yes and a no to one item must not be left to chance: a yes may let a profile do more.
func TestAYesAndANoToOneItemAreRefused(t *testing.T) {
	plan := transfer.Plan{Items: []transfer.Item{{Key: "credential:A"}, {Key: "profile:b"}}}
	for range 20 {
		if said, err := answers(plan, []string{"credential:A", "profile:b"}, []string{"profile:b"}); err == nil {
			t.Fatalf("%v", said)
		}
	}
	if said, err := answers(plan, []string{"credential:B"}, nil); err == nil {
		t.Errorf("%v", said)
	}
	said, err := answers(plan, []string{"credential:A", "credential:A"}, []string{"profile:b"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]bool{"credential:A": true, "profile:b": false}, said); diff != "" {
		t.Error(diff)
	}
}
