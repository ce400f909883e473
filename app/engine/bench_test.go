package engine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
)

// BenchmarkWarm measures one execution at a time from Submit to its terminal row, with a ready box.
// It reports the times until the script is sent, until its end, and until that is stored.
func BenchmarkWarm(b *testing.B) {
	w := realWorld(b, func(c *engine.Config) { c.Log = nil })
	var all, queued, ran []float64
	for b.Loop() {
		for w.Health().Warm < 2 {
			time.Sleep(time.Millisecond)
		}
		began := time.Now()
		x := w.Send("set_result(1)")
		x = w.Until(x, app.StatusCompleted)
		took := time.Since(began)
		if !x.Warm {
			b.Error("the box was cold")
		}
		all = append(all, ms(took))
		queued = append(queued, ms(x.StartedAt.Sub(began.Truncate(time.Millisecond))))
		ran = append(ran, ms(x.RunTime))
	}
	report := func(name string, list []float64) {
		slices.Sort(list)
		b.ReportMetric(list[len(list)/2], name+"-p50-ms")
		b.ReportMetric(list[len(list)*95/100], name+"-p95-ms")
	}
	report("total", all)
	report("until-sent", queued)
	report("script", ran)
	b.ReportMetric(0, "ns/op")
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
