package api

import (
	"encoding/json"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
	"github.com/computclaw/airlock/app/runner/hints"
)

// executionView is an execution as its agent sees it. Until it ends, stdout and stderr grow.
type executionView struct {
	ExecutionID     string           `json:"execution_id"`
	Status          app.Status       `json:"status"`
	Phase           app.Phase        `json:"phase,omitempty"`     // until it has ended
	NextStep        string           `json:"next_step,omitempty"` // while a person has to approve the script
	Skill           string           `json:"skill,omitempty"`     // name@number
	Label           string           `json:"label,omitempty"`
	Timeout         float64          `json:"timeout"`          // seconds
	Script          string           `json:"script,omitempty"` // with ?include=
	Inputs          json.RawMessage  `json:"inputs,omitempty"` // with ?include=
	Paused          bool             `json:"paused,omitempty"` // pending because people have paused all executions
	CreatedAt       time.Time        `json:"created_at"`
	StartedAt       *time.Time       `json:"started_at,omitempty"`
	LLMRequest      *llmView         `json:"llm_request,omitempty"`
	Result          *json.RawMessage `json:"result,omitempty"` // if completed; null without set_result
	Error           string           `json:"error,omitempty"`
	ErrorLine       int              `json:"error_line,omitempty"`
	Traceback       string           `json:"traceback,omitempty"` // of the script's own lines
	Warnings        []string         `json:"warnings,omitempty"`  // limits that it reached
	Stdout          *string          `json:"stdout,omitempty"`
	Stderr          *string          `json:"stderr,omitempty"`
	Truncated       bool             `json:"truncated,omitempty"`
	Redactions      *int             `json:"redactions,omitempty"`
	Masked          []maskedView     `json:"masked,omitempty"` // what Redactions counts
	ExecutionTimeMS *int64           `json:"execution_time_ms,omitempty"`
	Timings         *timingsView     `json:"timings,omitempty"`
	CompletedAt     *time.Time       `json:"completed_at,omitempty"`
	Backend         string           `json:"backend,omitempty"`
	Isolation       string           `json:"isolation,omitempty"`
	Injected        []string         `json:"injected,omitempty"`
	Network         []connectionView `json:"network,omitempty"`
	Manifest        *manifestView    `json:"manifest,omitempty"`
	Rerun           *rerunView       `json:"rerun,omitempty"`
	Artifacts       []artifactView   `json:"artifacts,omitempty"`
}

type llmView struct {
	RequestID string `json:"request_id"`
	Prompt    string `json:"prompt"`
	Model     string `json:"model"`
}

type timingsView struct {
	QueuedMS int64 `json:"queued_ms"`
	RunMS    int64 `json:"run_ms"`
	LLMMS    int64 `json:"llm_ms"`
}

type connectionView struct {
	Host        string      `json:"host"`
	Port        int         `json:"port,omitempty"`
	Verdict     app.Verdict `json:"verdict"`
	Rule        string      `json:"rule,omitempty"`
	Line        int         `json:"line,omitempty"`
	Method      string      `json:"method,omitempty"`
	Path        string      `json:"path,omitempty"`
	Status      int         `json:"status,omitempty"`
	Credentials []string    `json:"credentials,omitempty"`
	Count       int         `json:"count"`
	BytesUp     int64       `json:"bytes_up"`
	BytesDown   int64       `json:"bytes_down"`
	DurationMS  int64       `json:"duration_ms"`
	Hint        string      `json:"hint,omitempty"`
}

// viewExecution shows an execution without its output.
func viewExecution(x app.Execution) executionView {
	v := executionView{
		ExecutionID: x.ID, Status: x.Status, CreatedAt: x.CreatedAt.UTC(), StartedAt: optionalTime(x.StartedAt),
		Backend: x.Backend, Isolation: x.Isolation, Injected: x.Injected,
		Skill: x.Skill, Label: x.Label, Timeout: x.Timeout.Seconds(),
	}
	if x.Status == app.StatusAwaitingLLM && x.Request != nil {
		v.LLMRequest = &llmView{x.Request.RequestID, x.Request.Prompt, x.Request.Model}
	}
	run := x.RunTime.Milliseconds()
	if !x.Status.Terminal() {
		if !x.StartedAt.IsZero() {
			v.ExecutionTimeMS = &run
		}
		return v
	}
	v.ErrorLine, v.Truncated = x.ErrorLine, x.Truncated
	v.Error, v.Traceback = app.SplitTraceback(x.Error)
	v.Redactions, v.ExecutionTimeMS, v.CompletedAt = &x.Redactions, &run, optionalTime(x.CompletedAt)
	v.Timings = &timingsView{QueuedMS: queueTime(x).Milliseconds(), RunMS: run, LLMMS: x.LLMTime.Milliseconds()}
	return v
}

// viewListed shows an execution in a list, with its error's line but no traceback.
func viewListed(x app.Execution) executionView {
	v := viewExecution(x)
	v.Error, v.Traceback = app.ErrorLine(x.Error), ""
	return v
}

// queueTime returns how long the execution waited to start, or to end unstarted.
func queueTime(x app.Execution) time.Duration {
	until := x.StartedAt
	if until.IsZero() {
		until = x.CompletedAt
	}
	return max(0, until.Sub(x.CreatedAt))
}

// withOutput adds a terminal execution's output, result and connections.
func (v executionView) withOutput(x app.Execution, out app.Output, network []app.Connection) executionView {
	v.Stdout, v.Stderr, v.Manifest, v.Warnings = &out.Stdout, &out.Stderr, viewManifest(x), hints.Warnings(x)
	if out.Result != nil || x.Status == app.StatusCompleted {
		result := out.Result
		if result == nil {
			result = json.RawMessage("null")
		}
		v.Result = &result
	}
	for _, c := range network {
		v.Network = append(v.Network, viewConnection(c))
	}
	return v
}

func viewConnection(c app.Connection) connectionView {
	v := connectionView{
		Host: c.Host, Port: c.Port, Verdict: c.Verdict, Rule: c.Rule, Count: max(1, c.Count),
		Line: c.Line, Method: c.Method, Path: c.Path, Status: c.Status, Credentials: c.Credentials,
		BytesUp: c.BytesUp, BytesDown: c.BytesDown, DurationMS: c.Duration.Milliseconds(),
	}
	if why := rules.Explain(c); why != nil {
		v.Hint = why.Hint
	}
	return v
}
