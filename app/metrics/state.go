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
	AwaitingApproval int
	OpenScripts      int // that wait for a person's decision, as the next three
	OpenSkills       int // versions
	OpenProfiles     int
	OpenHosts        int // of locked profiles
	WarmBoxes        int
	TemplateReady    int // 0 or 1
	DiskFreeBytes    int64
	DiskSizeBytes    int64
	DiskFull         bool
}

// gatherState turns a State into metrics, each time anew.
func gatherState(now func() State) prometheus.Gatherer {
	return prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) {
		s, r := now(), prometheus.NewRegistry()
		gauge(r, "airlock_sandbox_ready", "1 if executions can run.", truth(s.Ready), nil)
		gauge(r, "airlock_workers", "Executions that may run at once.", float64(s.Workers), nil)
		for state, n := range map[string]int{"pending": s.Pending, "running": s.Running, "awaiting_llm": s.AwaitingLLM,
			"awaiting_approval": s.AwaitingApproval} {
			gauge(r, "airlock_executions", "Executions that have not ended.", float64(n), prometheus.Labels{"status": state})
		}
		for kind, n := range map[string]int{"script": s.OpenScripts, "skill": s.OpenSkills, "profile": s.OpenProfiles,
			"host": s.OpenHosts} {
			gauge(r, "airlock_approvals_open", "Decisions that wait for a person.", float64(n), prometheus.Labels{"kind": kind})
		}
		gauge(r, "airlock_boxes_warm", "Boxes that are ready.", float64(s.WarmBoxes), nil)
		gauge(r, "airlock_template_ready",
			"1 if boxes are forked from a template, 0 if they start from nothing instead.", float64(s.TemplateReady), nil)
		gauge(r, "airlock_disk_free_bytes", "Free space on the database's disk.", float64(s.DiskFreeBytes), nil)
		gauge(r, "airlock_disk_size_bytes", "Size of the database's disk.", float64(s.DiskSizeBytes), nil)
		gauge(r, "airlock_disk_full", "1 while Airlock refuses work for lack of space.", truth(s.DiskFull), nil)
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
