package executions

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	appexecutions "github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/executionview"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
)

const compareChoices = 50

// compareExecutions compares an execution with the requested one or its original.
func (h Handlers) compareExecutions(c echo.Context) error {
	ctx := c.Request().Context()
	x, err := h.Engine.Reader.ByHandle(ctx, c.Param("handle"))
	if err != nil {
		return err
	}
	httpx.LogExecution(c, x.Handle)
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
			page.Choices = append(page.Choices, components.Choice{
				Value: one.Handle, Word: choiceWords(one),
			})
		}
	}
	with := c.QueryParam("with")
	if with == "" {
		with = x.RerunOf
	}
	status := http.StatusOK
	if with != "" {
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
	if !slices.ContainsFunc(page.Choices, func(c components.Choice) bool { return c.Value == handle }) {
		page.Choices = append(page.Choices, components.Choice{
			Value: handle, Word: format.ShortHandle(handle) + ", " + format.Title(other.Profile),
		})
	}
	page.Other = &side
	older, newer := other, page.This.Execution
	if newer.CreatedAt.Before(older.CreatedAt) {
		older, newer = newer, older
	}
	page.Policy, err = h.Engine.Reader.PolicyChanges(ctx, older, newer)
	return "", err
}

// choiceWords distinguishes a profile's executions.
func choiceWords(x app.Execution) string {
	words := format.Exact(x.CreatedAt) + ", " + format.LowerFirst(format.Status(x.Status)) + ", " +
		format.ShortHandle(x.Handle)
	if name := cmp.Or(x.Label, x.Skill); name != "" {
		return name + ": " + words
	}
	return words
}

func (h Handlers) side(ctx context.Context, x app.Execution) (side executionview.Side, err error) {
	side.Execution = x
	script, inputs, err := h.Engine.Reader.Submitted(ctx, x.Handle)
	if err != nil {
		return side, err
	}
	side.Script = script
	if inputs != nil {
		side.Inputs = executionview.Indent(inputs)
	}
	files, err := h.files(ctx, x.Handle)
	if err != nil {
		return side, err
	}
	side.Files, side.Artifacts = files.Lines()
	if !x.Status.Terminal() {
		return side, nil
	}
	out, err := h.Engine.Reader.Output(ctx, x.Handle)
	if err != nil {
		return side, err
	}
	side.Stdout, side.Stderr = format.Plain(out.Stdout), format.Plain(out.Stderr)
	if out.Result != nil {
		side.Result = executionview.IndentSorted(out.Result)
	}
	exchanges, err := h.Engine.Reader.Exchanges(ctx, x.Handle)
	var answers strings.Builder
	for _, e := range exchanges {
		answers.WriteString(e.Response + "\n")
	}
	side.Answers = answers.String()
	return side, err
}
