package docker

import (
	"strings"
	"testing"

	"github.com/moby/moby/client"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/sandboxtest"
)

func TestMissingImage(t *testing.T) {
	w := newWorld(t, map[string]string{"host": shared.Host(), "image": "registry.example.com/nowhere:1"})
	if why := w.unready(t); !strings.Contains(why, "docker pull registry.example.com/nowhere:1") {
		t.Errorf("reason %q", why)
	}
	w.cfg.Settings = map[string]string{"host": shared.Host()}
	if why := w.unready(t); !strings.Contains(why, "docker build -t airlock-sandbox deploy/sandbox") {
		t.Errorf("reason %q", why)
	}
	noneLeft(t, shared, w.cfg.Instance)
}

func TestUnfitImages(t *testing.T) {
	for name, changes := range map[string][]string{"declares volumes": {"VOLUME /data"}} {
		if err := shared.Import("airlock-unfit:1", base, changes...); err != nil {
			t.Fatal(err)
		}
		w := newWorld(t, map[string]string{"host": shared.Host(), "image": "airlock-unfit:1"})
		if why := w.unready(t); !strings.Contains(why, name) {
			t.Errorf("reason %q, want %q", why, name)
		}
	}
	empty := archive([]byte("x"))
	if err := shared.Import("airlock-unfit:2", empty); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, map[string]string{"host": shared.Host(), "image": "airlock-unfit:2"})
	if why := w.unready(t); !strings.Contains(why, "no python3") {
		t.Errorf("reason %q", why)
	}
	noneLeft(t, shared, w.cfg.Instance)
}

func TestImagesWishesAreOverridden(t *testing.T) {
	err := shared.Import("airlock-greedy:1", base, "ENV LD_PRELOAD=/nowhere SECRET=x PATH=/nowhere", "USER root",
		"ENTRYPOINT [\"/bin/sh\"]",
		"CMD [\"-c\", \"echo mine\"]", "WORKDIR /usr", "HEALTHCHECK CMD echo sick", "LABEL airlock.instance=other")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, map[string]string{"host": shared.Host(), "image": "airlock-greedy:1"})
	w.ready(t)
	out, exit, err := w.do(t, plugins.Spec{}, python("import os; print(os.getuid(), os.getcwd(), os.environ)"))
	if err != nil || exit.Code != 0 || !strings.HasPrefix(out, "65534 /tmp ") || strings.Contains(out, "SECRET") ||
		strings.Contains(out, "LD_PRELOAD") || strings.Contains(out, "nowhere") {
		t.Errorf("output %q, %+v, %v", out, exit, err)
	}
	noneLeft(t, shared, w.cfg.Instance)
	noneLeft(t, shared, "other")
}

func TestChoice(t *testing.T) {
	if err := shared.Import("airlock-second:1", base, "LABEL second=1"); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, map[string]string{"host": shared.Host(), "image": testImage +
		",airlock-second:1,airlock-absent:1"})
	report := w.ready(t)
	api := shared.Client(t)
	for name, want := range map[string]string{"": testImage, testImage: testImage,
		"airlock-second:1": "airlock-second:1"} {
		i, err := w.checked().image(name)
		if err != nil || i.name != want {
			t.Errorf("runtime %q: %+v, %v", name, i, err)
			continue
		}
		found, err := api.ImageInspect(t.Context(), want)
		if err != nil || found.ID != i.id {
			t.Errorf("runtime %q is pinned to %s, want %s, %v", name, i.id, found.ID, err)
		}
		if _, exit, err := w.do(t, plugins.Spec{Runtime: name}, python("pass")); err != nil || exit.Code != 0 {
			t.Errorf("runtime %q: %+v, %v", name, exit, err)
		}
	}
	if i, err := w.checked().image(""); err != nil || report.Runtime != i.id {
		t.Errorf("report says runtime %q, want %s", report.Runtime, i.id)
	}
	for name, says := range map[string]string{"airlock-absent:1": "docker pull airlock-absent:1",
		"airlock-unfit:1": "none of the images", "airlock/box": "none of the images"} {
		if _, _, err := w.do(t, plugins.Spec{Runtime: name}, python("pass")); err == nil ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("runtime %q: %v, want %q", name, err, says)
		}
	}
	said := false
	for _, c := range report.Controls {
		said = said || c.Name == "image airlock-absent:1 is ready" && !c.Proved &&
			c.Detail == "the engine has no image airlock-absent:1" && c.Fix == "docker pull airlock-absent:1 there"
	}
	if !said {
		t.Error("the report doesn't tell of the image that isn't there")
	}
}

// TestDerivedImages are made once, made again when somebody removed them, and removed when their
// image has changed.
func TestDerivedImages(t *testing.T) {
	const name = "airlock-changing:1"
	if err := shared.Import(name, base); err != nil {
		t.Fatal(err)
	}
	api := shared.Client(t)
	derived := func() []string {
		t.Helper()
		list, err := api.ImageList(t.Context(),
			client.ImageListOptions{Filters: client.Filters{}.Add("label", labelOf+"="+name)})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, i := range list.Items {
			ids = append(ids, i.ID)
		}
		return ids
	}
	w := newWorld(t, map[string]string{"host": shared.Host(), "image": name})
	w.ready(t)
	first := derived()
	w.ready(t)
	if again := derived(); len(first) != 1 || len(again) != 1 || again[0] != first[0] {
		t.Errorf("derived images: %v, then %v", first, again)
	}
	if _, err := api.ImageRemove(t.Context(), first[0], client.ImageRemoveOptions{Force: true}); err != nil {
		t.Fatal(err)
	}
	if _, exit, err := w.do(t, plugins.Spec{}, python("pass")); err != nil || exit.Code != 0 {
		t.Errorf("after the derived image was removed: %+v, %v", exit, err)
	}
	if err := shared.Import(name, base, "LABEL changed=1"); err != nil {
		t.Fatal(err)
	}
	before := derived()
	w.ready(t)
	if now := derived(); len(now) != 1 || now[0] == before[0] {
		t.Errorf("derived images after the image has changed: %v, were %v", now, before)
	}
	noneLeft(t, shared, w.cfg.Instance)
}

// TestForgedDerivedImage checks that labels alone don't make an image a derived one. A pulled
// image's author must not become PID 1 of every box.
func TestForgedDerivedImage(t *testing.T) {
	const name, forged = "airlock-victim:1", "airlock-forged:1"
	if err := shared.Import(name, base, "LABEL victim=1"); err != nil {
		t.Fatal(err)
	}
	api := shared.Client(t)
	victim, err := api.ImageInspect(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	key := keyOf(victim.ID, sandboxtest.Guest(t))
	if err := shared.Import(forged, archive([]byte("#!/bin/sh\n")),
		"LABEL "+labelKey+"="+key+" "+labelOf+"="+name+" "+labelPython+"=/airlock-init"); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, map[string]string{"host": shared.Host(), "image": name})
	if r, err := w.Check(t.Context(), w.cfg); err != nil || !r.Ready {
		t.Errorf("the forged image is in the way: %v, %s", err, r.Reason)
	}
	if _, err := api.ImageInspect(t.Context(), forged); err != nil {
		t.Errorf("an image of somebody else's was removed: %v", err)
	}
	w.Close()
	noneLeft(t, shared, w.cfg.Instance)
}

func TestProgramsInTmp(t *testing.T) {
	const script = `
import os, subprocess
with open("/tmp/program", "w") as f: f.write("#!/usr/bin/env python3\nprint('it ran')\n")
os.chmod("/tmp/program", 0o755)
try: print(subprocess.run(["/tmp/program"], capture_output=True, text=True).stdout.strip())
except PermissionError: print("refused")`
	for setting, want := range map[string]string{"": "refused\n", "true": "it ran\n"} {
		t.Run("tmp_exec "+setting, func(t *testing.T) {
			settings := sharedSettings()
			if setting != "" {
				settings["tmp_exec"] = setting
			}
			w := newWorld(t, settings)
			w.cfg.Instance = "test-tmp-exec" + setting
			w.ready(t)
			if out, exit, err := w.do(t, plugins.Spec{}, python(script)); err != nil || exit.Code != 0 || out != want {
				t.Errorf("%q, %+v, %v, want %q", out, exit, err, want)
			}
		})
	}
}
