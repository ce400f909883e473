package executions

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	appexecutions "github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/executionview"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
)

const compareChoices = 50

// compareExecutions compares an execution with the requested one or its original.
func (h Handlers) compareExecutions(c echo.Context, x app.Execution) error {
	ctx := c.Request().Context()
	sh, _, err := h.Shell(c, "Compare", layout.SectionExecutions)
	if err != nil {
		return err
	}
	page := executionview.ComparePage{Shell: sh}
	if page.This, err = h.side(ctx, x); err != nil {
		return err
	}
	list, err := h.Engine.Reader.Search(ctx, appexecutions.Filter{ProfileHandle: x.ProfileHandle, Limit: compareChoices})
	if err != nil {
		return err
	}
	for _, one := range list.Executions {
		if one.Handle != x.Handle && one.Status.Terminal() {
			page.Choices = append(page.Choices, executionChoice(one))
		}
	}
	status := http.StatusOK
	if with := cmp.Or(c.QueryParam("with"), x.RerunOf); with != "" {
		if page.Problem, err = h.chooseOther(ctx, &page, with); err != nil {
			return err
		}
		if page.Problem != "" && c.QueryParam("with") != "" {
			status = http.StatusUnprocessableEntity
		}
	}
	return h.Render(c, status, executionview.Compare(page))
}

// chooseOther fills in the other side or says why it can't.
func (h Handlers) chooseOther(
	ctx context.Context, page *executionview.ComparePage, handle string,
) (problem string, err error) {
	other, err := h.Engine.Reader.ByHandle(ctx, handle)
	switch {
	case app.CodeOf(err) == app.CodeNotFound:
		return "That execution has been removed.", nil
	case err != nil:
		return "", err
	case !other.Status.Terminal() || !page.This.Execution.Status.Terminal():
		return "Both must have ended before they can be compared.", nil
	}
	side, err := h.side(ctx, other)
	if err != nil {
		return "", err
	}
	if choice := executionChoice(other); !slices.Contains(page.Choices, choice) {
		page.Choices = append(page.Choices, choice)
	}
	page.Other = &side
	older, newer := other, page.This.Execution
	if newer.CreatedAt.Before(older.CreatedAt) {
		older, newer = newer, older
	}
	page.Policy, err = h.Engine.Reader.PolicyChanges(ctx, older, newer)
	return "", err
}

// executionChoice distinguishes a profile's executions.
func executionChoice(x app.Execution) components.Choice {
	words := format.Exact(x.CreatedAt) + ", " + format.LowerFirst(format.Status(x.Status)) + ", " +
		format.ShortHandle(x.Handle)
	if name := cmp.Or(x.Label, x.Skill); name != "" {
		words = name + ": " + words
	}
	return components.Choice{Value: x.Handle, Word: words}
}

// side reads the texts of one side of a comparison.
func (h Handlers) side(ctx context.Context, x app.Execution) (side executionview.Side, err error) {
	script, inputs, err := h.Engine.Reader.ReadSubmitted(ctx, x.Handle)
	if err != nil {
		return side, err
	}
	var out app.Output
	if x.Status.Terminal() {
		if out, err = h.Engine.Reader.Output(ctx, x.Handle); err != nil {
			return side, err
		}
	}
	exchanges, err := h.Engine.Reader.Exchanges(ctx, x.Handle)
	if err != nil {
		return side, err
	}
	left, err := h.files(ctx, x.Handle)
	if err != nil {
		return side, err
	}
	var answers, files, artifacts strings.Builder
	for _, e := range exchanges {
		answers.WriteString(e.Response + "\n")
	}
	for _, f := range left.Inputs {
		fmt.Fprintf(&files, "%s, %s, sha256 %s\n", f.Name, format.Bytes(f.Size), f.SHA256)
	}
	for _, a := range left.Artifacts {
		fmt.Fprintf(&artifacts, "%s, %s, %s\n", a.Name, format.Bytes(a.Size), cmp.Or(a.Withheld, "sha256 "+a.SHA256))
	}
	return executionview.Side{Execution: x, Texts: []executionview.Text{
		{ID: "diff-result", Title: "Result", Text: executionview.IndentSorted(out.Result)},
		{ID: "diff-stdout", Title: "Output", Text: format.Plain(out.Stdout)},
		{ID: "diff-stderr", Title: "Errors (stderr)", Text: format.Plain(out.Stderr)},
		{ID: "diff-llm", Title: "LLM answers", Text: answers.String()},
		{ID: "diff-artifacts", Title: "Artifacts", Text: artifacts.String()},
		{ID: "diff-inputs", Title: "Inputs", Text: executionview.IndentSorted(inputs)},
		{ID: "diff-files", Title: "Files", Text: files.String()},
		{ID: "diff-script", Title: "Script", Text: script},
	}}, nil
}
