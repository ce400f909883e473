package executions

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/executionview"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

func (h Handlers) showExecutions(c echo.Context) error {
	ctx := c.Request().Context()
	q, f, found, err := h.executionFilter(c)
	if err != nil {
		return err
	}
	sh, profiles, err := h.Shell(c, "Executions", layout.SectionExecutions)
	if err != nil {
		return err
	}
	page := executionview.ListPage{
		Shell: sh, Query: q, Problems: found,
		CSV:   uix.Address(paths.ExecutionsExport, q, "as", "csv"),
		Lines: uix.Address(paths.ExecutionsExport, q, "as", "jsonl"),
	}
	if f.Before == "" && len(found) == 0 {
		page.Here = uix.Address(paths.Executions, q)
	}
	for _, p := range profiles {
		page.Profiles = append(page.Profiles, components.Choice{Value: p.Handle, Word: format.Title(p.Description)})
	}
	credentials, err := h.Access.Credentials.List(ctx)
	if err != nil {
		return err
	}
	for _, one := range credentials {
		page.Credentials = append(page.Credentials, one.Name)
	}
	if len(found) > 0 {
		return h.Render(c, http.StatusUnprocessableEntity, executionview.List(page))
	}
	list, err := h.Engine.Reader.Search(ctx, f)
	if err != nil {
		return err
	}
	page.Executions, page.Unfinished = list.Executions, list.Unfinished
	if page.Summaries, err = h.Summaries(ctx, list.Executions, f.Text); err != nil {
		return err
	}
	n, exact, err := h.Engine.Reader.Count(ctx, f)
	if err != nil {
		return err
	}
	if page.Count = format.Count(int64(n), "execution"); !exact {
		page.Count = "At least " + page.Count
	}
	if list.Next != "" {
		page.Older = uix.Address(paths.Executions, q, "before", list.Next)
	}
	return h.Render(c, http.StatusOK, executionview.List(page), "list")
}
