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
	Phase           app.Phase        `json:"phase,omitempty" about:"until it has ended; starting: waits for a sandbox"`
	NextStep        string           `json:"next_step,omitempty" about:"in awaiting_approval: what to ask the person"`
	Skill           string           `json:"skill,omitempty" about:"name@number of the skill that it runs"`
	Label           string           `json:"label,omitempty"`
	Timeout         float64          `json:"timeout" about:"seconds it may run"`
	Script          string           `json:"script,omitempty" about:"with ?include=script; secrets in it are masked"`
	Inputs          json.RawMessage  `json:"inputs,omitempty" about:"with ?include=inputs; secrets in them are masked"`
	Paused          bool             `json:"paused,omitempty" about:"pending while a person has paused all executions"`
	CreatedAt       time.Time        `json:"created_at"`
	StartedAt       *time.Time       `json:"started_at,omitempty"`
	LLMRequest      *llmView         `json:"llm_request,omitempty" about:"in awaiting_llm"`
	Result          *json.RawMessage `json:"result,omitempty" about:"what set_result was given"`
	Error           string           `json:"error,omitempty" about:"why it did not complete; in lists its first line"`
	ErrorLine       int              `json:"error_line,omitempty" about:"in the script"`
	Traceback       string           `json:"traceback,omitempty" about:"the script's own lines"`
	Warnings        []string         `json:"warnings,omitempty" about:"limits that it reached and survived"`
	Stdout          *string          `json:"stdout,omitempty" about:"so far, while it runs"`
	Stderr          *string          `json:"stderr,omitempty" about:"so far, while it runs"`
	Truncated       bool             `json:"truncated,omitempty" about:"stdout or stderr was cut"`
	Redactions      *int             `json:"redactions,omitempty" about:"places masked in what left the sandbox"`
	Masked          []maskedView     `json:"masked,omitempty" about:"what redactions counts, by channel and key"`
	ExecutionTimeMS *int64           `json:"execution_time_ms,omitempty" about:"so far, without LLM waits"`
	Timings         *timingsView     `json:"timings,omitempty"`
	CompletedAt     *time.Time       `json:"completed_at,omitempty"`
	Backend         string           `json:"backend,omitempty"`
	Isolation       string           `json:"isolation,omitempty"`
	Injected        []string         `json:"injected,omitempty" about:"keys whose values the script held"`
	Network         []connectionView `json:"network,omitempty"`
	Manifest        *manifestView    `json:"manifest,omitempty" about:"hashes that define the run"`
	Rerun           *rerunView       `json:"rerun,omitempty" about:"of a re-run"`
	Artifacts       []artifactView   `json:"artifacts,omitempty" about:"files that the script left"`
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
	Rule        string      `json:"rule,omitempty" about:"what allowed or denied it"`
	Line        int         `json:"line,omitempty" about:"of the script that first asked for it"`
	Method      string      `json:"method,omitempty" about:"of a request that Airlock could read"`
	Path        string      `json:"path,omitempty" about:"with the query"`
	Status      int         `json:"status,omitempty" about:"of the answer"`
	Credentials []string    `json:"credentials,omitempty" about:"sealed keys whose values were put in"`
	Count       int         `json:"count"`
	BytesUp     int64       `json:"bytes_up"`
	BytesDown   int64       `json:"bytes_down"`
	DurationMS  int64       `json:"duration_ms"`
	Hint        string      `json:"hint,omitempty" about:"what to do about a denial"`
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
