package docker

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/plugins"
)

func TestCountersOfThisHost(t *testing.T) {
	w := newWorld(t, sharedSettings())
	w.ready(t)
	const busy = "import time\nx = bytearray(b'1') * (40 << 20)\nend = time.process_time() + 0.3\nwhile " +
		"time.process_time() < end: pass"
	_, exit, err := w.do(t, plugins.Spec{}, python(busy+"\nprint('up', flush=True)"))
	if err != nil || exit.PidsHit {
		t.Errorf("%+v, %v", exit, err)
	}
	limits := probeLimits()
	limits.CPU = 0.05 // so little that it holds the box also where others leave it hardly more
	b, err := w.checked().newBox(plugins.Spec{ID: "near", Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.open(t.Context(), w.checked().images[0],
		[]string{w.checked().images[0].python, "-c",
			busy + "\nimport os\nfor i in range(40):\n try:\n  if os.fork() == 0: time.sleep(100)\n except OSError: " +
				"pass\nprint('up', flush=True)\nwhile True: pass"}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		b.conn.Close()
		if err := w.checked().remove(t.Context(), b.name); err != nil {
			t.Error(err)
		}
	}()
	if _, err := b.conn.Reader.ReadByte(); err != nil {
		t.Fatal(err)
	}
	eventually(t, time.Minute, func() []string { // an engine that is busy answers late
		if b.meter.approach(t.Context()); b.meter.near == nil {
			return []string{"the counters of a container on this host were not found"}
		}
		u, ok := b.meter.near.usage()
		if !ok || u.peak < 40<<20 || u.cpu < 300*time.Millisecond || !u.full || !u.held {
			return []string{fmt.Sprintf("%+v, %v", u, ok)}
		}
		return nil
	})
	if findLocalCgroups(1, strings.Repeat("a", 64)) != nil {
		t.Error("took somebody else's counters for a container's")
	}
}
