package transfers

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
	"github.com/computclaw/airlock/views/settingsview"
)

// jobSize tells a job's size: executions for exports, bytes for others.
func jobSize(j transfer.Job) string {
	if j.Kind == transfer.JobExport {
		return format.Number(j.Total) + " executions"
	}
	return format.Bytes(j.Total)
}

func jobTitle(j transfer.Job) string {
	titles := map[string][3]string{
		transfer.JobExport: {"Exporting", "The export is ready", "Export failed"},
		transfer.JobPlan:   {"Reading the file", "Before you import", "The file can't be read"},
		transfer.JobImport: {"Importing", "The import is done", "Import failed"},
		transfer.JobBackup: {"Backing up", "The backup is done", "Backup failed"},
	}
	switch t := titles[j.Kind]; {
	case j.IsRunning():
		return t[0]
	case j.Err != nil:
		return t[2]
	default:
		return t[1]
	}
}

// showJob shows a job's progress. The page polls; without scripts a browser reloads. Both get
// another page at the end.
func (h Handlers) showJob(c echo.Context) error {
	j, err := h.Transfer.Job(c.Param("id"))
	if err != nil {
		return err
	}
	if uix.Partial(c) && !j.IsRunning() {
		c.Response().Header().Set("HX-Redirect", paths.At(paths.TransferPath, j.ID))
		return c.NoContent(http.StatusNoContent)
	}
	if j.Kind == transfer.JobBackup && !j.IsRunning() && j.Err == nil {
		return h.Done(c, "backup-verified", paths.SettingsBackups)
	}
	sh, _, err := h.Shell(c, jobTitle(j), layout.SectionSettings)
	if err != nil {
		return err
	}
	page := settingsview.JobPage{
		Shell: sh, ID: j.ID, Title: jobTitle(j), Backup: j.Kind == transfer.JobBackup,
		Running: j.IsRunning(), Done: j.Done, Total: j.Total, Of: jobSize(j),
	}
	switch {
	case j.IsRunning():
		c.Response().Header().Set("Refresh", "1")
	case j.Err != nil:
		page.Failed = h.failureText(c, j)
	case j.Kind == transfer.JobExport:
		page.Size = j.Size
		page.Lines = []string{
			strings.TrimSpace(fmt.Sprintf("It holds %s. %s", j.Exported.Counts, j.Exported.LostSentence())),
			"It can't be opened without the passphrase. You can download it for half an hour.",
		}
	case j.Kind == transfer.JobPlan:
		page.Plan = planView(j.Plan)
		page.Lines = page.Plan.From
	case j.Kind == transfer.JobImport:
		page.Lines = []string{
			fmt.Sprintf("Written: %s.", j.Report.Counts()),
		}
		if j.Report.Skipped > 0 {
			page.Lines = append(page.Lines,
				fmt.Sprintf("%d executions were here already, or belong to profiles that were not taken.",
					j.Report.Skipped))
		}
		page.Lines = append(page.Lines,
			"Agents keep their profile ids. Leave the old instance retired, so that no script runs twice, and "+
				"point its address here.",
			"To undo it, use the restore point under "+settingsview.MoveTitle+".")
	}
	return h.Render(c, http.StatusOK, settingsview.Job(page), "progress")
}

// failureText explains a job's failure without details for the log.
func (h Handlers) failureText(c echo.Context, j transfer.Job) string {
	if known, ok := uix.AppError(j.Err); ok {
		return uix.Sentences(known)
	}
	if j.Kind == transfer.JobBackup {
		return "The backup failed; the list of backups says why."
	}
	return uix.Sentences(httpx.Explain(c, j.Err))
}

func planView(p transfer.Plan) *settingsview.Plan {
	v := &settingsview.Plan{
		From: []string{
			fmt.Sprintf("The file was made on %s by instance %s (%s).", app.FormatDay(time.UnixMilli(p.MadeAt)),
				p.Instance, p.Program),
		},
	}
	if p.Own {
		v.From = append(v.From, "It says that it is from this instance.")
	}
	if !p.Whole {
		v.From = append(v.From, "It holds chosen profiles only.")
	}
	if p.File.Executions > 0 || p.File.Events > 0 {
		v.History = fmt.Sprintf("With its %s executions, unless they are here already, and %s events of its audit log, "+
			"which are kept apart from this one's", format.Number(p.File.Executions), format.Number(p.File.Events))
	}
	for _, i := range p.Items {
		name := i.Name
		if i.Title != "" {
			name = i.Title
		}
		item := settingsview.PlanItem{Field: i.Key, Kind: i.Kind, Name: name, State: string(i.State), Why: i.Why,
			Choice: i.State == transfer.StateNew || i.State == transfer.StateDifferent}
		item.Yes = item.Choice && !i.Asks
		for _, f := range i.Fields {
			item.Fields = append(item.Fields, f.String())
		}
		v.Items = append(v.Items, item)
	}
	return v
}

// importPlan imports only ticked items.
func (h Handlers) importPlan(c echo.Context, fields url.Values) error {
	j, err := h.Transfer.Job(c.Param("id"))
	if err != nil {
		return err
	}
	choice := transfer.Choice{History: fields.Get("history") == "yes", Each: map[string]bool{}}
	for _, i := range j.Plan.Items {
		choice.Each[i.Key] = slices.Contains(fields["take"], i.Key)
	}
	id, err := h.Transfer.StartImport(uix.Actor(c), j.ID, choice)
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, paths.At(paths.TransferPath, id))
}

func (h Handlers) downloadExport(c echo.Context) error {
	file, err := h.Transfer.Download(c.Param("id"))
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if err := h.Access.Audit.Note(c.Request().Context(), uix.Actor(c), "transfer.download", "instance",
		fmt.Sprintf("Downloaded an export of %d bytes.", info.Size())); err != nil {
		return err
	}
	name := "airlock-" + h.Now().UTC().Format("2006-01-02") + ".airlock"
	export := httpx.Download{Name: name, Type: echo.MIMEOctetStream, Size: info.Size()}
	return httpx.SendDownload(c, export, func(w io.Writer) error {
		_, err := io.Copy(w, h.Reader(c, file))
		return err
	})
}
