package web

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
	"github.com/computclaw/airlock/views/settingsview"
)

// KeyInfo says where the instance key is, for people.
type KeyInfo struct {
	From string // where it comes from
	ID   string // its name, which tells nothing about it
	Risk string // why key and data are not apart; "" if they are
}

// transferPages are the routes that move everything. Each asks for a fresh password, and none exists outside /ui.
func (s *Server) transferPages() []httpx.Route {
	back := httpx.Redirect(paths.SettingsMove)
	list := []httpx.Route{
		httpx.Get(paths.SettingsMove, s.showMove),
		httpx.Post(paths.SettingsExport, s.export),
		httpx.Post(paths.SettingsImport, s.upload),
		httpx.Post(paths.SettingsRetire, s.retire),
		httpx.Post(paths.SettingsUnretire, s.unretire),
		httpx.Get(paths.RestorePointPath, s.askDeletePoint),
		httpx.Post(paths.RestorePointPath, s.deletePoint),
		httpx.Get(paths.TransferPath, s.showJob),
		httpx.Post(paths.TransferDownload, s.downloadExport),
		httpx.Post(paths.TransferImport, s.importPlan),
		httpx.Get(paths.SettingsBackups, s.showBackups),
		httpx.Post(paths.SettingsBackups, s.saveBackups),
		httpx.Post(paths.SettingsBackupNow, s.backUpNow),
	}
	for i := range list {
		list[i].Handle = s.requireFresh(list[i].Handle)
	}
	for _, path := range []string{paths.SettingsExport, paths.SettingsImport, paths.SettingsRetire, paths.SettingsUnretire, paths.TransferDownload, paths.TransferImport} {
		list = append(list, httpx.Get(path, back))
	}
	return append(list, httpx.Get(paths.SettingsBackupNow, httpx.Redirect(paths.SettingsBackups)))
}

func (s *Server) showMove(c echo.Context) error { return s.movePage(c, http.StatusOK, nil) }

func (s *Server) movePage(c echo.Context, status int, found components.Problems) error {
	sh, profiles, err := s.shell(c, "Move house", layout.SectionSettings)
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
	page := settingsview.MovePage{Shell: sh, Profiles: profiles, Problems: found, Retired: retired.Since, By: retired.By.Name, KeyFrom: key.From, KeyID: key.ID, KeyRisk: key.Risk}
	for _, p := range points {
		page.Points = append(page.Points, settingsview.PointRow{Name: p.Name, At: p.At, Size: p.Size})
	}
	return s.render(c, status, settingsview.Move(page))
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
			return c.Redirect(http.StatusSeeOther, paths.TransferURL(id))
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
	if err := httpx.KeepOpen(c.Response().Writer); err != nil && !errors.Is(err, http.ErrNotSupported) {
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
			return s.movePage(c, http.StatusUnprocessableEntity, components.Problems{"file": "The upload ended too early. Send it again."})
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
			return s.movePage(c, http.StatusUnprocessableEntity, components.Problems{"import-passphrase": "Type the passphrase of the file."})
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
			return c.Redirect(http.StatusSeeOther, paths.TransferURL(id))
		}
	}
	found, err := problems(err, nil)
	if err != nil {
		return err
	}
	return s.movePage(c, http.StatusUnprocessableEntity, components.Problems{"file": found.Of("")})
}

func (s *Server) retire(c echo.Context) error {
	if err := s.cfg.Access.Retire(c.Request().Context(), actorOf(c)); err != nil {
		return err
	}
	return s.done(c, "retired", paths.SettingsMove)
}

func (s *Server) unretire(c echo.Context) error {
	if err := s.cfg.Access.Unretire(c.Request().Context(), actorOf(c)); err != nil {
		return err
	}
	return s.done(c, "unretired", paths.SettingsMove)
}

// isUpload reports whether a request may have a body of any size; its handler looks after that.
func isUpload(r *http.Request) bool {
	return r.Method == http.MethodPost && strings.TrimSuffix(r.URL.Path, "/") == paths.SettingsImport
}
