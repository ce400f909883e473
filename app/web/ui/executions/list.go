package executions

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	appexecutions "github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/executionview"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

func (h Handlers) showExecutions(c echo.Context) error {
	ctx := c.Request().Context()
	typed, f, found, err := h.executionFilter(c)
	if err != nil {
		return err
	}
	sh, profiles, err := h.Shell(c, "Executions", layout.SectionExecutions)
	if err != nil {
		return err
	}
	page := executionview.ListPage{
		Shell: sh, Filter: typed, Problems: found,
		CSV:   executionsURL(paths.ExecutionsExport, typed, "as", "csv"),
		Lines: executionsURL(paths.ExecutionsExport, typed, "as", "jsonl"),
	}
	if f.Before == "" && len(found) == 0 {
		page.Here = executionsURL(paths.Executions, typed)
	}
	for _, p := range profiles {
		page.Profiles = append(page.Profiles, components.Choice{Value: p.Handle, Word: format.Title(p.Description)})
	}
	if page.Credentials, err = h.credentialNames(ctx); err != nil {
		return err
	}
	if len(found) > 0 {
		return h.Render(c, http.StatusUnprocessableEntity, executionview.List(page))
	}
	list, err := h.Engine.Reader.Search(ctx, f)
	if err != nil {
		return err
	}
	page.Executions, page.Unfinished = list.Executions, list.Unfinished
	if page.Summaries, err = h.Summaries(ctx, list.Executions, typed.Text); err != nil {
		return err
	}
	if page.Count, err = h.countWords(ctx, f); err != nil {
		return err
	}
	if list.Next != "" {
		page.Older = executionsURL(paths.Executions, typed, "before", list.Next)
	}
	return h.Render(c, http.StatusOK, executionview.List(page), "list")
}

func (h Handlers) credentialNames(ctx context.Context) ([]string, error) {
	credentials, err := h.Access.Credentials.List(ctx)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(credentials))
	for i, one := range credentials {
		names[i] = one.Name
	}
	return names, nil
}

func (h Handlers) countWords(ctx context.Context, f appexecutions.Filter) (string, error) {
	n, exact, err := h.Engine.Reader.Count(ctx, f)
	words := format.Count(int64(n), "execution")
	if !exact {
		words = "At least " + words
	}
	return words, err
}
