package sandbox_test

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/engine/enginetest"
	"github.com/computclaw/airlock/app/guest/guesttest"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/fake"
)

// yard is a world with several fake backends, by name.
func yard(t *testing.T, change func(*engine.Config), reports ...plugins.Report) (*world, map[string]*fake.Backend) {
	t.Helper()
	w, boxes := enginetest.NewWithBackends(t, change, reports...)
	return &world{w}, boxes
}

func fails(name string) plugins.Report {
	return plugins.Report{Name: name, Tier: plugins.TierNone, Reason: name + " is broken here"}
}

func inUse(h engine.Health) (names []string) {
	for _, b := range h.Backends {
		if b.InUse {
			names = append(names, b.Name)
		}
	}
	return names
}

func TestAutoTakesTheStrongestThatPasses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		reports []plugins.Report
		want    string
	}{
		{"the first of tier full",
			[]plugins.Report{enginetest.Passes("a", plugins.TierFull), enginetest.Passes("b", plugins.TierFull)}, "a"},
		{"full before restricted",
			[]plugins.Report{enginetest.Passes("a", plugins.TierRestricted), enginetest.Passes("b", plugins.TierFull)},
			"b"},
		{"restricted if it is all there is", []plugins.Report{fails("a"),
			enginetest.Passes("b", plugins.TierRestricted)},
			"b"},
		{"never what is too weak", []plugins.Report{enginetest.Passes("a", plugins.TierNone), fails("b")}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, _ := yard(t, func(c *engine.Config) { c.Auto = true }, tt.reports...)
			h := w.Health()
			if got := strings.Join(inUse(h), " "); got != tt.want || h.Backend != tt.want ||
				h.Ready != (tt.want != "") {
				t.Errorf("in use %q, health %+v", got, h)
			}
			if tt.want == "" && (!strings.Contains(h.Reason, "too weak") ||
				!strings.Contains(h.Reason, "b is broken here")) {
				t.Errorf("reason %q", h.Reason)
			}
		})
	}
}

// Auto tries a failed stronger backend again while a weaker one is in use.
func TestAutoGoesBackToTheStronger(t *testing.T) {
	t.Parallel()
	auto := func(c *engine.Config) { c.Auto, c.Pool = true, -1 }
	tests := map[string]func(w *world, strong *fake.Backend){
		"after a proof that failed": func(w *world, strong *fake.Backend) {
			strong.SetReport(fails("strong"))
			w.Must(w.Sandboxes.Prove(t.Context(), "strong"))
			w.AwaitHealth("the weak one in use", func(h engine.Health) bool { return h.Backend == "weak" })
			strong.SetReport(enginetest.Passes("strong", plugins.TierFull))
		},
		"after its boxes didn't open": func(w *world, strong *fake.Backend) {
			strong.SetGuest(fake.Exit(1))
			w.Finished("result 1", app.StatusError) // three boxes
			strong.SetGuest(guesttest.Play)
		},
	}
	for name, breaks := range tests {
		for _, order := range [][]plugins.Report{
			{enginetest.Passes("strong", plugins.TierFull), enginetest.Passes("weak", plugins.TierRestricted)},
			{enginetest.Passes("weak", plugins.TierRestricted), enginetest.Passes("strong", plugins.TierFull)},
			{enginetest.Passes("strong", plugins.TierFull), enginetest.Passes("weak", plugins.TierFull)},
			// as strong, but later in the order
		} {
			t.Run(name, func(t *testing.T) {
				w, boxes := yard(t, auto, order...)
				w.Must(w.Sandboxes.Prove(t.Context(), "")) // the weaker one has passed too
				w.AwaitHealth("the strong one in use", func(h engine.Health) bool { return h.Backend == "strong" })
				breaks(w, boxes["strong"])
				w.AwaitHealth("the strong one in use again",
					func(h engine.Health) bool { return h.Backend == "strong" })
				if x, _ := w.Finished("result 1", app.StatusCompleted); x.Backend != "strong" {
					t.Errorf("it ran in %q", x.Backend)
				}
			})
		}
	}
}

// With the strongest in use, Auto proves no other.
func TestAutoProvesNoneWithoutNeed(t *testing.T) {
	t.Parallel()
	w, _ := yard(t, func(c *engine.Config) { c.Auto = true }, fails("a"), enginetest.Passes("b", plugins.TierFull),
		enginetest.Passes("c", plugins.TierFull))
	if got := strings.Join(w.Sandboxes.DueNames(), " "); got != "a" {
		t.Errorf("due are %q", got)
	}
}

// Only the default class keeps boxes ready; another takes over when it's gone.
func TestPoolGoesToTheDefaultBackend(t *testing.T) {
	t.Parallel()
	w, boxes := yard(t, func(c *engine.Config) { c.Pool = 2 }, enginetest.Passes("a", plugins.TierFull),
		enginetest.Passes("b", plugins.TierFull))
	w.AwaitHealth("two boxes of a",
		func(h engine.Health) bool { return h.Backends[0].Warm == 2 && h.Backends[1].Warm == 0 })
	boxes["a"].SetReport(fails("a"))
	w.Must(w.Sandboxes.Prove(t.Context(), "a"))
	w.AwaitHealth("two boxes of b", func(h engine.Health) bool {
		return h.Backend == "b" && h.Backends[1].Warm == 2 && h.Backends[0].Reason == "a is broken here"
	})
	boxes["a"].SetReport(enginetest.Passes("a", plugins.TierFull))
	w.Must(w.Sandboxes.Prove(t.Context(), ""))
	w.AwaitHealth("two boxes of a again", func(h engine.Health) bool {
		return h.Backend == "a" && h.Backends[0].Warm == 2 && h.Backends[1].Warm == 0
	})
	enginetest.WantCode(t, w.Sandboxes.Prove(t.Context(), "nonesuch"), app.CodeNotFound)
}
