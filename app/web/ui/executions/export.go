package executions

import (
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/ui/uix"
)

// exportExecutions downloads a list of executions without ids, which are tokens.
func (h Handlers) exportExecutions(c echo.Context) error {
	_, f, found, err := h.executionFilter(c)
	if err != nil {
		return err
	}
	for name, text := range found {
		return app.Invalid(name, text, "Go back and correct it.")
	}
	f.Limit = 100
	over := false
	return h.Download(c, "airlock-executions", func() ([]uix.Record, error) {
		for !over {
			page, err := h.Engine.Reader.Search(c.Request().Context(), f)
			if err != nil {
				return nil, err
			}
			f.Before, over = page.Next, page.Next == ""
			if len(page.Executions) == 0 {
				continue // so much was looked through and nothing matched
			}
			records := make([]uix.Record, len(page.Executions))
			for i, x := range page.Executions {
				records[i] = executionRecord(x)
			}
			return records, nil
		}
		return nil, nil
	})
}

func executionRecord(x app.Execution) uix.Record {
	return uix.Record{
		"execution", x.Handle, "profile", x.ProfileHandle, "profile_description", x.Profile, "status", string(x.Status),
		"created_at", uix.Stamp(x.CreatedAt), "started_at", uix.Stamp(x.StartedAt),
		"first_output_at", uix.Stamp(x.FirstOutputAt), "completed_at", uix.Stamp(x.CompletedAt),
		"run_ms", x.RunTime.Milliseconds(), "llm_ms", x.LLMTime.Milliseconds(), "cpu_ms", x.CPUTime.Milliseconds(),
		"timeout_ms", x.Timeout.Milliseconds(), "peak_memory_bytes", x.PeakMemory,
		"backend", x.Backend, "isolation", x.Isolation, "policy_version", int64(x.Policy),
		"redactions", int64(x.Redactions), "truncated", x.Truncated,
		"injected", strings.Join(x.Injected,
			" "), "error", x.Error, "error_line", int64(x.ErrorLine), "repeats", x.RerunOf,
		"script_sha256", x.Manifest.Script, "inputs_sha256", x.Manifest.Inputs, "llm_sha256", x.Manifest.LLM,
		"policy_sha256", x.Manifest.Policy, "result_sha256", x.Manifest.ResultHash, "label", x.Label, "skill", x.Skill,
		"skill_digest", x.SkillDigest,
	}
}
