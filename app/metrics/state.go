package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// State is how the server stands at one moment. Negative numbers are unknown and left out.
type State struct {
	Ready            bool // a sandbox is
	Workers          int
	Pending          int
	Running          int
	AwaitingLLM      int
	WarmBoxes        int
	DatabaseBytes    int64
	ReusableBytes    int64
	DiskFreeBytes    int64
	DiskSizeBytes    int64
	DiskFull         bool
	ExecutionsPruned int64
}

// gathered turns a State into metrics, each time anew.
func gathered(now func() State) prometheus.Gatherer {
	return prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) {
		s, r := now(), prometheus.NewRegistry()
		gauge(r, "airlock_sandbox_ready", "1 if executions can run.", truth(s.Ready), nil)
		gauge(r, "airlock_workers", "Executions that may run at once.", float64(s.Workers), nil)
		for state, n := range map[string]int{"pending": s.Pending, "running": s.Running, "awaiting_llm": s.AwaitingLLM} {
			gauge(r, "airlock_executions", "Executions that have not ended.", float64(n), prometheus.Labels{"status": state})
		}
		gauge(r, "airlock_boxes_warm", "Boxes that are ready.", float64(s.WarmBoxes), nil)
		gauge(r, "airlock_database_size_bytes", "Size of the database, without its write-ahead log.", float64(s.DatabaseBytes), nil)
		gauge(r, "airlock_database_reusable_bytes", "Of that, what is empty and used first.", float64(s.ReusableBytes), nil)
		gauge(r, "airlock_disk_free_bytes", "Free on the disk of the database.", float64(s.DiskFreeBytes), nil)
		gauge(r, "airlock_disk_size_bytes", "Size of the disk of the database.", float64(s.DiskSizeBytes), nil)
		gauge(r, "airlock_disk_full", "1 while nothing new is taken for want of room.", truth(s.DiskFull), nil)
		if s.ExecutionsPruned >= 0 {
			c := prometheus.NewCounter(prometheus.CounterOpts{Name: "airlock_executions_removed_total", Help: "Executions that retention removed, ever."})
			c.Add(float64(s.ExecutionsPruned))
			r.MustRegister(c)
		}
		return r.Gather()
	})
}

func gauge(r *prometheus.Registry, name, help string, value float64, labels prometheus.Labels) {
	if value < 0 {
		return
	}
	g := prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels})
	g.Set(value)
	r.MustRegister(g)
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
