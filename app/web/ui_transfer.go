package web

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/views"
)

// KeyInfo says where the instance key is, for people.
type KeyInfo struct {
	From string // where it comes from
	ID   string // its name, which tells nothing about it
	Risk string // why key and data are not apart; "" if they are
}

// transferPages are the routes that move everything. Each asks for a fresh password, and none exists outside /ui.
func (s *Server) transferPages() []route {
	const get, post = http.MethodGet, http.MethodPost
	back := func(c echo.Context) error { return c.Redirect(http.StatusSeeOther, views.SettingsMove) }
	list := []route{
		{get, views.SettingsMove, s.showMove},
		{post, views.SettingsExport, s.export},
		{post, views.SettingsImport, s.upload},
		{post, views.SettingsRetire, s.retire},
		{post, views.SettingsUnretire, s.unretire},
		{get, views.RestorePointPath, s.askDeletePoint},
		{post, views.RestorePointPath, s.deletePoint},
		{get, views.TransferPath, s.showJob},
		{post, views.TransferDownload, s.downloadExport},
		{post, views.TransferImport, s.importPlan},
		{get, views.SettingsBackups, s.showBackups},
		{post, views.SettingsBackups, s.saveBackups},
		{post, views.SettingsBackupNow, s.backUpNow},
	}
	for i := range list {
		list[i].handle = s.requireFresh(list[i].handle)
	}
	for _, path := range []string{views.SettingsExport, views.SettingsImport, views.SettingsRetire, views.SettingsUnretire, views.TransferDownload, views.TransferImport} {
		list = append(list, route{get, path, back})
	}
	return append(list, route{get, views.SettingsBackupNow, func(c echo.Context) error { return c.Redirect(http.StatusSeeOther, views.SettingsBackups) }})
}

func (s *Server) showMove(c echo.Context) error { return s.movePage(c, http.StatusOK, nil) }

func (s *Server) movePage(c echo.Context, status int, found views.Problems) error {
	sh, profiles, err := s.shell(c, "Move house", views.SectionSettings)
	if err != nil {
		return err
	}
	retired, err := s.cfg.Access.Retired(c.Request().Context())
	if err != nil {
		return err
	}
	points, err := s.cfg.Transfer.RestorePoints()
	if err != nil {
		return err
	}
	key := s.cfg.Key() // now: a rotation changes it while the server runs
	page := views.MovePage{Shell: sh, Profiles: profiles, Problems: found, Retired: retired.Since, By: retired.By.Name, KeyFrom: key.From, KeyID: key.ID, KeyRisk: key.Risk}
	for _, p := range points {
		page.Points = append(page.Points, views.PointRow{Name: p.Name, At: p.At, Size: p.Size})
	}
	return s.render(c, status, views.MoveView(page))
}

func (s *Server) export(c echo.Context) error {
	fields, err := form(c)
	if err != nil {
		return err
	}
	if found := notTheSame(fields.Get("passphrase"), fields.Get("again"), "again"); found != nil {
		return s.movePage(c, http.StatusUnprocessableEntity, found)
	}
	what := transfer.Selection{History: fields.Get("history") == "yes"}
	if chosen := fields["profiles"]; len(chosen) > 0 {
		what.Profiles = chosen
	}
	passphrase := app.NewSecret(fields.Get("passphrase"))
	if err = transfer.CheckPassphrase(passphrase); err == nil {
		var id string
		if id, err = s.cfg.Transfer.StartExport(actorOf(c), passphrase, what); err == nil {
			return c.Redirect(http.StatusSeeOther, views.TransferURL(id))
		}
	}
	found, err := problems(err, map[string]string{"passphrase": "passphrase"})
	if err != nil {
		return err
	}
	return s.movePage(c, http.StatusUnprocessableEntity, found)
}

// maxFormField bounds a form's field in an upload, in bytes.
const maxFormField = 8 << 10

// upload takes a file to look at. The passphrase stands before it in the form, so that nothing is kept of an upload without one. The body has no limit but the disk's
// room: limitBody leaves this route alone, and this handler runs only for a person with a fresh password.
func (s *Server) upload(c echo.Context) error {
	if err := keepOpen(c.Response().Writer); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	kind, _, err := mime.ParseMediaType(c.Request().Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		return app.E(app.CodeUnsupportedMedia, "the form came without a file", "Go back and choose the file.")
	}
	parts, err := c.Request().MultipartReader()
	if err != nil {
		return app.E(app.CodeInvalidField, "the upload can't be read", "Go back and send it again.")
	}
	passphrase := ""
	for {
		part, err := parts.NextPart()
		if err != nil {
			return s.movePage(c, http.StatusUnprocessableEntity, views.Problems{"file": "The upload ended too early. Send it again."})
		}
		if part.FormName() == "passphrase" {
			text, err := io.ReadAll(io.LimitReader(part, maxFormField))
			if err != nil {
				return err
			}
			passphrase = string(text)
			continue
		}
		if part.FormName() != "file" || passphrase == "" {
			return s.movePage(c, http.StatusUnprocessableEntity, views.Problems{"import-passphrase": "Type the passphrase of the file."})
		}
		return s.look(c, part, app.NewSecret(passphrase))
	}
}

// look keeps the uploaded file and begins to read it.
func (s *Server) look(c echo.Context, file io.Reader, passphrase app.Secret) error {
	path, size, err := s.cfg.Transfer.Receive(&whileIn{Reader: file, s: s, c: c, looked: s.cfg.Now()})
	if err == nil {
		var id string
		if id, err = s.cfg.Transfer.StartPlan(actorOf(c), path, size, passphrase); err == nil {
			return c.Redirect(http.StatusSeeOther, views.TransferURL(id))
		}
	}
	found, err := problems(err, nil)
	if err != nil {
		return err
	}
	return s.movePage(c, http.StatusUnprocessableEntity, views.Problems{"file": found.Of("")})
}

// jobSize says how much there is to do: an export counts executions, the others bytes of the file.
func jobSize(j transfer.Job) string {
	if j.Kind == transfer.JobExport {
		return views.Number(j.Total) + " executions"
	}
	return views.Bytes(j.Total)
}

// jobTitle is what a job is called while it runs, and afterwards.
func jobTitle(j transfer.Job) string {
	titles := map[string][2]string{
		transfer.JobExport: {"Exporting", "The export is ready"}, transfer.JobPlan: {"Reading the file", "Before you import"},
		transfer.JobImport: {"Importing", "The import is done"}, transfer.JobBackup: {"Backing up", "The backup is done"},
	}
	switch t := titles[j.Kind]; {
	case j.Running():
		return t[0]
	case j.Err != nil:
		return "It did not work"
	default:
		return t[1]
	}
}

// showJob shows how far a job is. While it runs, the browser is told to ask again: that needs no script.
func (s *Server) showJob(c echo.Context) error {
	j, err := s.cfg.Transfer.Job(c.Param("id"))
	if err != nil {
		return err
	}
	sh, _, err := s.shell(c, jobTitle(j), views.SectionSettings)
	if err != nil {
		return err
	}
	page := views.JobPage{Shell: sh, ID: j.ID, Title: jobTitle(j), Running: j.Running(), Done: j.Done, Total: j.Total, Of: jobSize(j)}
	switch {
	case j.Running():
		c.Response().Header().Set("Refresh", "1")
	case j.Err != nil:
		page.Failed = s.failureText(c, j)
	case j.Kind == transfer.JobExport:
		page.Size = j.Size
		page.Lines = []string{fmt.Sprintf("It holds %s.", j.Exported.Counts), "Without the passphrase nobody opens it. It can be downloaded for half an hour."}
	case j.Kind == transfer.JobPlan:
		page.Plan = planView(j.Plan)
		page.Lines = page.Plan.From
	case j.Kind == transfer.JobImport:
		page.Lines = []string{fmt.Sprintf("Written: %s.", transfer.Counts{Credentials: j.Report.Credentials, Profiles: j.Report.Profiles, Executions: j.Report.Executions})}
		if j.Report.Skipped > 0 {
			page.Lines = append(page.Lines, fmt.Sprintf("%d executions were here already, or belong to profiles that were not taken.", j.Report.Skipped))
		}
		page.Lines = append(page.Lines, "The ids of the agents work here as they are. Keep the old instance retired, so that no script runs twice, and point its address here.", "A copy of the database from before stands under Move house, with the command that goes back to it.")
	case j.Kind == transfer.JobBackup:
		return c.Redirect(http.StatusSeeOther, views.SettingsBackups)
	}
	return s.render(c, http.StatusOK, views.JobView(page))
}

// failureText says why a job failed, without what only the log may know.
func (s *Server) failureText(c echo.Context, j transfer.Job) string {
	if known, ok := asAppError(j.Err); ok {
		return told(known)
	}
	if j.Kind == transfer.JobBackup {
		return "The backup failed; the list of backups says why."
	}
	return told(s.explain(j.Err, c))
}

func planView(p transfer.Plan) *views.PlanView {
	v := &views.PlanView{From: []string{fmt.Sprintf("The file was made on %s by instance %s (%s).", views.Day(time.UnixMilli(p.MadeAt)), p.Instance, p.Program)}}
	if p.Own {
		v.From = append(v.From, "It says that it is from this instance.")
	}
	if !p.Whole {
		v.From = append(v.From, "It holds chosen profiles only.")
	}
	if p.File.Executions > 0 || p.Events > 0 {
		v.History = fmt.Sprintf("With its %s executions, %s of them here already, and %s events of its audit log, which are kept apart from this one's",
			views.Number(p.File.Executions), views.Number(p.Here), views.Number(p.Events))
	}
	for _, i := range p.Items {
		name := i.Name
		if i.Title != "" {
			name = i.Title
		}
		choice := i.State == transfer.StateNew || i.State == transfer.StateConflict
		v.Items = append(v.Items, views.PlanItem{Field: i.Key, Kind: i.Kind, Name: name, State: string(i.State), Facts: i.Facts, Changes: i.Changes, Widens: i.Widens, Choice: choice,
			Yes: i.State == transfer.StateNew && !i.Widens})
	}
	return v
}

// importPlan imports what is ticked, and nothing else.
func (s *Server) importPlan(c echo.Context) error {
	fields, err := form(c)
	if err != nil {
		return err
	}
	j, err := s.cfg.Transfer.Job(c.Param("id"))
	if err != nil {
		return err
	}
	choice := transfer.Choice{History: fields.Get("history") == "yes", Each: map[string]bool{}}
	for _, i := range j.Plan.Items {
		choice.Each[i.Key] = slices.Contains(fields["take"], i.Key)
	}
	id, err := s.cfg.Transfer.StartImport(actorOf(c), j.ID, choice, s.afterImport)
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, views.TransferURL(id))
}

// downloadExport gives an export's file out. It lifts the time limit of answers: the file may be large and the line slow.
func (s *Server) downloadExport(c echo.Context) error {
	file, err := s.cfg.Transfer.Download(c.Param("id"))
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if err := s.cfg.Access.Note(c.Request().Context(), actorOf(c), "transfer.download", "instance", fmt.Sprintf("Downloaded an export of %d bytes.", info.Size())); err != nil {
		return err
	}
	if err := keepOpen(c.Response().Writer); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	h := c.Response().Header()
	h.Set("Content-Disposition", `attachment; filename="airlock-`+s.cfg.Now().UTC().Format("2006-01-02")+`.airlock"`)
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Length", fmt.Sprint(info.Size()))
	c.Response().WriteHeader(http.StatusOK)
	_, err = io.Copy(c.Response(), &whileIn{Reader: file, s: s, c: c, looked: s.cfg.Now()})
	return err
}

func (s *Server) askDeletePoint(c echo.Context) error {
	p, err := s.pathPoint(c)
	if err != nil {
		return err
	}
	return s.confirmPointDeletion(c, p, nil)
}

// pathPoint is the restore point that the address names.
func (s *Server) pathPoint(c echo.Context) (transfer.RestorePoint, error) {
	points, err := s.cfg.Transfer.RestorePoints()
	if err != nil {
		return transfer.RestorePoint{}, err
	}
	i := slices.IndexFunc(points, func(p transfer.RestorePoint) bool { return p.Name == c.Param("name") })
	if i < 0 {
		return transfer.RestorePoint{}, app.E(app.CodeNotFound, "there is no such restore point", "It may have been deleted already.")
	}
	return points[i], nil
}

func (s *Server) confirmPointDeletion(c echo.Context, p transfer.RestorePoint, refused error) error {
	sh, _, err := s.shell(c, "Delete a restore point", views.SectionSettings)
	if err != nil {
		return err
	}
	of := "from " + views.Day(p.At)
	return s.confirmation(c, views.ConfirmPage{
		Shell: sh, Question: "Delete the restore point " + of + "?", Typed: pointName(p), Action: views.RestorePointURL(p.Name), Button: "Delete the restore point " + of, Back: views.SettingsMove,
		Lines: []string{"What the import after it changed can't be taken back as a whole any more.", "This can't be undone. Backups and exports stay as they are."},
	}, refused)
}

// pointName is what a person types to name a restore point: its day and time.
func pointName(p transfer.RestorePoint) string { return p.At.UTC().Format("2006-01-02 15:04") }

func (s *Server) deletePoint(c echo.Context) error {
	fields, err := form(c)
	if err != nil {
		return err
	}
	p, err := s.pathPoint(c)
	if err != nil {
		return err
	}
	if err := typed(fields, pointName(p)); err != nil {
		return s.confirmPointDeletion(c, p, err)
	}
	if err := s.cfg.Transfer.DeleteRestorePoint(c.Request().Context(), actorOf(c), c.Param("name")); err != nil {
		return err
	}
	return s.done(c, "point-deleted", views.SettingsMove)
}

func (s *Server) retire(c echo.Context) error {
	if err := s.cfg.Access.Retire(c.Request().Context(), actorOf(c)); err != nil {
		return err
	}
	return s.done(c, "retired", views.SettingsMove)
}

func (s *Server) unretire(c echo.Context) error {
	if err := s.cfg.Access.Unretire(c.Request().Context(), actorOf(c)); err != nil {
		return err
	}
	return s.done(c, "unretired", views.SettingsMove)
}

// isUpload reports whether a request may have a body of any size; its handler looks after that.
func isUpload(r *http.Request) bool {
	return r.Method == http.MethodPost && strings.TrimSuffix(r.URL.Path, "/") == views.SettingsImport
}
