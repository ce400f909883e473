package engine

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/fake"
)

// yard is a world with several fake backends, by name.
func yard(t *testing.T, change func(*Config), reports ...plugins.Report) (*world, map[string]*fake.Backend) {
	t.Helper()
	w := newWorldWithout(t)
	boxes := map[string]*fake.Backend{}
	w.startEngine(func(c *Config) {
		c.Sandboxes = nil
		for _, r := range reports {
			boxes[r.Name] = fake.New(t, play)
			boxes[r.Name].SetReport(r)
			c.Sandboxes = append(c.Sandboxes, Sandbox{Name: r.Name, Backend: boxes[r.Name]})
		}
		if change != nil {
			change(c)
		}
	})
	return w, boxes
}

func passes(name string, tier plugins.Tier) plugins.Report {
	return plugins.Report{Name: name, Ready: true, Tier: tier, Runtime: name + "-root"}
}

func fails(name string) plugins.Report {
	return plugins.Report{Name: name, Tier: plugins.TierNone, Reason: name + " is broken here"}
}

func inUse(h Health) (names []string) {
	for _, b := range h.Backends {
		if b.InUse {
			names = append(names, b.Name)
		}
	}
	return names
}

func TestAutoTakesTheStrongestThatPasses(t *testing.T) {
	for _, tt := range []struct {
		name    string
		reports []plugins.Report
		want    string
	}{
		{"the first of tier full", []plugins.Report{passes("a", plugins.TierFull), passes("b", plugins.TierFull)}, "a"},
		{"full before restricted", []plugins.Report{passes("a", plugins.TierRestricted), passes("b", plugins.TierFull)}, "b"},
		{"restricted if it is all there is", []plugins.Report{fails("a"), passes("b", plugins.TierRestricted)}, "b"},
		{"never what is too weak", []plugins.Report{passes("a", plugins.TierNone), fails("b")}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, _ := yard(t, func(c *Config) { c.Auto = true }, tt.reports...)
			h := w.Health()
			if got := strings.Join(inUse(h), " "); got != tt.want || h.Backend != tt.want || h.Ready != (tt.want != "") {
				t.Errorf("in use %q, health %+v", got, h)
			}
			if tt.want == "" && (!strings.Contains(h.Reason, "too weak") || !strings.Contains(h.Reason, "b is broken here")) {
				t.Errorf("reason %q", h.Reason)
			}
		})
	}
}

// The stronger one that failed, or whose boxes didn't open, was never tried again once a weaker one was in use.
func TestAutoGoesBackToTheStronger(t *testing.T) {
	auto := func(c *Config) { c.Auto, c.Pool = true, -1 }
	tests := map[string]func(w *world, strong *fake.Backend){
		"after a proof that failed": func(w *world, strong *fake.Backend) {
			strong.SetReport(fails("strong"))
			w.must(w.Prove(t.Context(), "strong"))
			w.await("the weak one in use", func(h Health) bool { return h.Backend == "weak" })
			strong.SetReport(passes("strong", plugins.TierFull))
		},
		"after its boxes didn't open": func(w *world, strong *fake.Backend) {
			strong.SetGuest(fake.Exit(1))
			w.finished("result 1", app.StatusError) // three boxes
			strong.SetGuest(play)
		},
	}
	for name, breaks := range tests {
		for _, order := range [][]plugins.Report{
			{passes("strong", plugins.TierFull), passes("weak", plugins.TierRestricted)},
			{passes("weak", plugins.TierRestricted), passes("strong", plugins.TierFull)},
			{passes("strong", plugins.TierFull), passes("weak", plugins.TierFull)}, // as strong, but later in the order
		} {
			t.Run(name, func(t *testing.T) {
				w, boxes := yard(t, auto, order...)
				w.must(w.Prove(t.Context(), "")) // the weaker one has passed too
				w.await("the strong one in use", func(h Health) bool { return h.Backend == "strong" })
				breaks(w, boxes["strong"])
				w.await("the strong one in use again", func(h Health) bool { return h.Backend == "strong" })
				if x, _ := w.finished("result 1", app.StatusCompleted); x.Backend != "strong" {
					t.Errorf("it ran in %q", x.Backend)
				}
			})
		}
	}
}

// With the strongest in use no other is proved: it could not be chosen.
func TestAutoProvesNoneWithoutNeed(t *testing.T) {
	w, _ := yard(t, func(c *Config) { c.Auto = true }, fails("a"), passes("b", plugins.TierFull), passes("c", plugins.TierFull))
	var names []string
	for _, c := range w.due(w.fleet) {
		names = append(names, c.Name)
	}
	if got := strings.Join(names, " "); got != "a" {
		t.Errorf("due are %q", got)
	}
}

func (w *world) require(p app.Placement) {
	w.t.Helper()
	_, err := w.access.SetPlacement(w.t.Context(), person, w.profile.Handle, p)
	w.must(err)
}

// A profile's scripts run where it requires, or not at all.
func TestPlacement(t *testing.T) {
	images := passes("b", plugins.TierRestricted)
	images.Images = map[string]string{"data:1": "sha256:data"}
	w, boxes := yard(t, nil, passes("a", plugins.TierFull), images, fails("c"))
	if got := strings.Join(inUse(w.Health()), " "); got != "a b" {
		t.Fatalf("in use %q", got)
	}
	for _, tt := range []struct {
		place                  app.Placement
		backend, runtime, says string
	}{
		{app.Placement{}, "a", "a-root", ""},
		{app.Placement{Backend: "b"}, "b", "b-root", ""},
		{app.Placement{Image: "data:1"}, "b", "sha256:data", ""},
		{app.Placement{MinTier: "restricted", Backend: "b"}, "b", "b-root", ""},
		{app.Placement{MinTier: "full"}, "a", "a-root", ""},
		{app.Placement{MinTier: "full", Backend: "b"}, "", "", "requires the sandbox backend b with isolation full"},
		{app.Placement{Backend: "c"}, "", "", "c, which is not in use"},
		{app.Placement{Backend: "docker"}, "", "", "docker, which is not configured here"},
		{app.Placement{Image: "other"}, "", "", "the image other, which no fitting"},
		{app.Placement{Image: "data:1", MinTier: "full"}, "", "", "no fitting sandbox backend"},
	} {
		w.require(tt.place)
		status := app.StatusCompleted
		if tt.says != "" {
			status = app.StatusError
		}
		x, _ := w.finished("result 1", status)
		x, err := w.ByHandle(t.Context(), x.Handle)
		w.must(err)
		if x.Backend != tt.backend || x.Manifest.Runtime != tt.runtime || !strings.Contains(x.Error, tt.says) || strings.Contains(x.Error, "broken here") {
			t.Errorf("%+v ran in %q on %q: %s", tt.place, x.Backend, x.Manifest.Runtime, x.Error)
		}
		if tt.says != "" && !x.StartedAt.IsZero() {
			t.Errorf("%+v started", tt.place)
		}
	}
	opened := boxes["b"].Opened()
	if len(opened) != 3 || opened[1].Runtime != "data:1" {
		t.Errorf("boxes of b: %+v", opened)
	}
}

// Only the default class keeps boxes ready, and another one takes over when it's gone.
func TestPoolGoesToTheDefaultBackend(t *testing.T) {
	w, boxes := yard(t, func(c *Config) { c.Pool = 2 }, passes("a", plugins.TierFull), passes("b", plugins.TierFull))
	w.await("two boxes of a", func(h Health) bool { return h.Backends[0].Warm == 2 && h.Backends[1].Warm == 0 })
	boxes["a"].SetReport(fails("a"))
	w.must(w.Prove(t.Context(), "a"))
	w.await("two boxes of b", func(h Health) bool {
		return h.Backend == "b" && h.Backends[1].Warm == 2 && h.Backends[0].Reason == "a is broken here"
	})
	boxes["a"].SetReport(passes("a", plugins.TierFull))
	w.must(w.Prove(t.Context(), ""))
	w.await("two boxes of a again", func(h Health) bool { return h.Backend == "a" && h.Backends[0].Warm == 2 && h.Backends[1].Warm == 0 })
	wantCode(t, w.Prove(t.Context(), "nonesuch"), app.CodeNotFound)
}

func (w *world) await(what string, is func(Health) bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer cancel()
	for !is(w.Health()) {
		if pause(ctx, 5*time.Millisecond) != nil {
			w.t.Fatalf("there never were %s: %+v", what, w.Health())
		}
	}
}

// A proof that passes for a backend that opens nothing is not believed for ever.
func TestCrashLoopRests(t *testing.T) {
	w, boxes := yard(t, func(c *Config) { c.Pool = -1 }, passes("a", plugins.TierFull), passes("b", plugins.TierFull))
	w.require(app.Placement{Backend: "a"})
	boxes["a"].SetGuest(fake.Exit(1))
	for range lapsesLast + 1 {
		w.await("a in use", func(h Health) bool { return h.Backends[0].InUse })
		w.finished("result 1", app.StatusError) // three boxes
	}
	h := w.Health()
	if h.Backends[0].InUse || !strings.Contains(h.Backends[0].Reason, "its proof passes but its boxes don't open") || h.Backend != "b" {
		t.Errorf("%+v", h.Backends[0])
	}
	boxes["a"].SetGuest(play)
	w.must(w.Prove(t.Context(), "a")) // a person says so
	w.finished("result 1", app.StatusCompleted)
}

// Who asks for packages has what isn't known found out, image by image, without a box that is kept.
func TestPackagesOfColdClassesAreFoundOut(t *testing.T) {
	report := passes("a", plugins.TierFull)
	report.Images = map[string]string{"data:1": "sha256:1"}
	w, _ := yard(t, func(c *Config) { c.Pool = -1 }, report)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		list := w.Packages()
		if len(list) != 2 || !list[0].Default || list[1].Image != "data:1" {
			t.Fatalf("%+v", list)
		}
		if list[0].Python != "" && list[1].Python != "" {
			break
		}
		if pause(ctx, 5*time.Millisecond) != nil {
			t.Fatalf("never known: %+v", list)
		}
	}
}

// The manifest went on naming the image that a name stood for before it was proved again.
func TestManifestNamesTheImageAsProvedLast(t *testing.T) {
	report := func(id string) plugins.Report {
		r := passes("a", plugins.TierFull)
		r.Images = map[string]string{"data:1": id}
		return r
	}
	w, boxes := yard(t, func(c *Config) { c.Pool = -1 }, report("sha256:1"))
	w.require(app.Placement{Image: "data:1"})
	for _, id := range []string{"sha256:1", "sha256:2"} {
		boxes["a"].SetReport(report(id))
		w.must(w.Prove(t.Context(), "a"))
		if x, _ := w.finished("result 1", app.StatusCompleted); x.Manifest.Runtime != id {
			t.Errorf("runtime %q, want %q", x.Manifest.Runtime, id)
		}
	}
}

// What an image's interpreter compiled goes to boxes of that image alone, and comes from a box that no script is sent to.
func TestCompiledRunnerStaysInItsImage(t *testing.T) {
	images := passes("a", plugins.TierFull)
	images.Images = map[string]string{"compiled:1": "sha256:1", "compiled:2": "sha256:2"}
	w, _ := yard(t, func(c *Config) { c.Pool = -1 }, images)
	for image := range images.Images {
		w.require(app.Placement{Image: image})
		for deadline, first := time.Now().Add(20*time.Second), true; ; first = false {
			_, out := w.finished("code", app.StatusCompleted)
			if out.Stdout == "code of "+image+"\n" {
				if first {
					t.Errorf("the first box of %s had code", image)
				}
				break
			}
			if out.Stdout != "\n" || time.Now().After(deadline) {
				t.Fatalf("a box of %s began with %q", image, out.Stdout)
			}
		}
	}
}

// A backend that is out of use is proved again as soon as somebody needs it, and not only at the end of a pause that has grown; and not for each who does.
func TestWhatIsNeededIsProvedAgain(t *testing.T) {
	var ahead atomic.Int64
	w, boxes := yard(t, func(c *Config) { c.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) } }, passes("spare", plugins.TierFull), fails("needed"))
	w.mu.Lock()
	ahead.Store(int64(time.Until(w.fleet[1].proved))) // as if no time had passed since
	if w.hurry("needed") {
		t.Error("proved again at once")
	}
	w.mu.Unlock()
	boxes["needed"].SetReport(passes("needed", plugins.TierFull))
	w.mu.Lock()
	ahead.Add(int64(checkAsked))
	if w.hurry("spare") {
		t.Error("what is in use was proved again")
	}
	w.mu.Unlock()
	_, err := w.place(app.Placement{Backend: "needed"})
	if err == nil || !strings.Contains(words(err), "checked again now") {
		t.Errorf("the answer is %v", err)
	}
	for limit := time.Now().Add(time.Minute); len(inUse(w.Health())) < 2; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("it is not in use")
		}
	}
}
