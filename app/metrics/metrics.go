package metrics

import (
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are the counters of one process. A nil *Metrics counts nothing. It is safe for concurrent
// use.
type Metrics struct {
	registry    *prometheus.Registry
	requests    *prometheus.CounterVec
	latency     *prometheus.HistogramVec
	submitted   prometheus.Counter
	ended       *prometheus.CounterVec
	queued      prometheus.Histogram
	run         prometheus.Histogram
	llm         prometheus.Histogram
	redactions  prometheus.Counter
	connections *prometheus.CounterVec
}

// New returns metrics of a server of that version.
func New(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(
			prometheus.CounterOpts{Name: "airlock_http_requests_total", Help: "Requests answered."},
			[]string{"method", "route", "code"}),
		latency: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "airlock_http_request_duration_seconds",
			Help:    "Time to answer a request, without long polls.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10}}, []string{"route"}),
		submitted: prometheus.NewCounter(
			prometheus.CounterOpts{Name: "airlock_executions_submitted_total", Help: "Executions accepted."}),
		ended: prometheus.NewCounterVec(
			prometheus.CounterOpts{Name: "airlock_executions_ended_total", Help: "Executions ended."}, []string{"status"}),
		queued: histogram("airlock_execution_queue_seconds", "Time from accepted to started."),
		run:    histogram("airlock_execution_run_seconds", "Run time, without waiting for the LLM."),
		llm: histogram("airlock_execution_llm_wait_seconds",
			"Time that executions waited for the LLM."),
		redactions: prometheus.NewCounter(
			prometheus.CounterOpts{Name: "airlock_redactions_total",
				Help: "Places masked in what left boxes."}),
		connections: prometheus.NewCounterVec(
			prometheus.CounterOpts{Name: "airlock_connections_total",
				Help: "Ledger rows: requests, relayed connections, refusals."}, []string{"verdict"}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "airlock_build_info",
		Help:        "Always 1; the labels say what runs.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()}})
	build.Set(1)
	m.registry.MustRegister(build, m.requests, m.latency, m.submitted, m.ended, m.queued, m.run, m.llm, m.redactions,
		m.connections,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func histogram(name, help string) prometheus.Histogram {
	return prometheus.NewHistogram(
		prometheus.HistogramOpts{Name: name, Help: help,
			Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 900}})
}

// Handler answers GET /metrics. now reads the state at that moment; it must not be nil.
func (m *Metrics) Handler(now func() State) http.Handler {
	all := prometheus.Gatherers{m.registry, gatherState(now)}
	return promhttp.HandlerFor(all, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}

// Request counts an answered request. Its time counts unless it waited for something to happen.
func (m *Metrics) Request(method, route string, code int, took time.Duration, waited bool) {
	if m == nil {
		return
	}
	m.requests.WithLabelValues(method, route, strconv.Itoa(code)).Inc()
	if !waited {
		m.latency.WithLabelValues(route).Observe(took.Seconds())
	}
}

// CountSubmitted counts an accepted execution.
func (m *Metrics) CountSubmitted() {
	if m != nil {
		m.submitted.Inc()
	}
}

// CountStarted counts the time that an execution was queued for.
func (m *Metrics) CountStarted(queued time.Duration) {
	if m != nil {
		m.queued.Observe(queued.Seconds())
	}
}

// End is what is counted of an execution's end.
type End struct {
	Status     string
	Started    bool // its script was sent
	Run        time.Duration
	LLM        time.Duration
	Redactions int
	Verdicts   map[string]int // rows of the ledger
}

// CountEnded counts an execution's end.
func (m *Metrics) CountEnded(e End) {
	if m == nil {
		return
	}
	m.ended.WithLabelValues(e.Status).Inc()
	if e.Started {
		m.run.Observe(e.Run.Seconds())
	}
	if e.LLM > 0 {
		m.llm.Observe(e.LLM.Seconds())
	}
	m.redactions.Add(float64(e.Redactions))
	for verdict, n := range e.Verdicts {
		m.connections.WithLabelValues(verdict).Add(float64(n))
	}
}
