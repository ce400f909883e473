package uix

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/backups"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
)

// Config is what a UI needs.
type Config struct {
	Access   *access.Parts
	Engine   *engine.Engine
	Transfer *transfer.Service
	Backups  *backups.Service
	Hub      *live.Hub
	Log      *slog.Logger
	Now      func() time.Time
	Origins  httpx.Origins
	Drain    *httpx.Drain
	Version  string
	DataLoss string // why the data will be gone after the next start; "" if it won't
}

// UI renders pages and redirects, and checks sessions. Page packages embed it. It is safe for
// concurrent use.
type UI struct {
	Config
	Vault *VaultWatch
}

// New returns a UI.
func New(cfg Config) *UI {
	return &UI{Config: cfg, Vault: &VaultWatch{access: cfg.Access, hub: cfg.Hub, now: cfg.Now}}
}

// Shell returns a logged-in page's surroundings and the profiles it read.
func (u *UI) Shell(c echo.Context, title string, section layout.Section) (layout.Shell, []app.Profile, error) {
	ctx := c.Request().Context()
	profiles, err := u.Access.Profiles.List(ctx)
	if err != nil {
		return layout.Shell{}, nil, err
	}
	paused, err := u.Access.Switches.ReadPause(ctx)
	if err != nil {
		return layout.Shell{}, nil, err
	}
	needs, err := u.countNeeds(ctx, profiles)
	if err != nil {
		return layout.Shell{}, nil, err
	}
	sh := u.BareShell(c, title)
	sh.Section, sh.NeedsYou = section, needs
	sh.Disk = u.disk(ctx)
	sh.Paused = layout.Paused{Since: paused.Since, By: paused.By.Name}
	sh.Notice, sh.Warns = u.TakeNotice(c)
	return sh, profiles, nil
}

// BareShell returns a shell without the store, also for errors.
func (u *UI) BareShell(c echo.Context, title string) layout.Shell {
	sh := layout.Shell{
		Title: title, Version: u.Version, Base: u.Origins.BaseURL(c.Request()), Now: u.Now(),
		Person: Actor(c).Name, Role: Session(c).Role, DataLoss: u.DataLoss, Keys: "on",
	}
	if k, err := c.Cookie(ThemeCookie); err == nil && (k.Value == "light" || k.Value == "dark") {
		sh.Theme = k.Value
	}
	if k, err := c.Cookie(KeysCookie); err == nil && k.Value == "off" {
		sh.Keys = k.Value
	}
	return sh
}

// disk returns the free space. If unreadable, pages omit it: writes fail with their own error.
func (u *UI) disk(ctx context.Context) layout.Disk {
	room, err := u.Engine.Statistics.FreeSpace(ctx)
	if err != nil && ctx.Err() == nil {
		u.Log.Error("the free space of the disk could not be read", "error", err)
	}
	return layout.Disk{Free: room.Free, Size: room.Size, Reserve: room.Reserve, Full: room.Full}
}

// Render answers with a whole page, or the parts that htmx asks for. A page that fails to render is
// an error, never half a page. Invisible characters appear as numbers. Viewers see no token.
func (u *UI) Render(c echo.Context, status int, page templ.Component, parts ...any) error {
	var buf bytes.Buffer
	var err error
	if Partial(c) && len(parts) > 0 && status < 400 {
		err = templ.RenderFragments(c.Request().Context(), &buf, page, parts...)
	} else {
		err = page.Render(c.Request().Context(), &buf)
	}
	if err != nil {
		return err
	}
	if status >= 400 {
		c.Response().Header().Set("HX-Push-Url", "false") // a refused form's address is not a page
	}
	body := app.Visible(buf.Bytes())
	if hidesTokens(c) {
		body = []byte(httpx.RedactTokens(string(body)))
	}
	return c.HTMLBlob(status, body)
}

// hidesTokens reports whether a person may not see tokens in agents' words.
func hidesTokens(c echo.Context) bool { return Session(c).Role == app.RoleViewer }

// RelyingParty returns what passkeys are bound to, CodeConflict where browsers have none.
func (u *UI) RelyingParty(c echo.Context) (app.RelyingParty, error) {
	rp, ok := u.Origins.RelyingParty(c.Request())
	if !ok {
		return rp, app.E(app.CodeConflict, "passkeys don't work at this address",
			"Open Airlock over HTTPS by its host name, or at localhost. Your password works here.")
	}
	return rp, nil
}

// Partial reports whether htmx asks for a part of a page.
func Partial(c echo.Context) bool {
	h := c.Request().Header
	return h.Get("HX-Request") == "true" && h.Get("HX-Request-Type") == "partial" && h.Get("HX-Boosted") == ""
}

// Done redirects after an action, with a notice or "".
func (u *UI) Done(c echo.Context, notice, to string) error {
	if notice != "" {
		u.setNotice(c, notice)
	}
	return c.Redirect(http.StatusSeeOther, to)
}

// Confirm asks before an irreversible action, in a shell it makes. refused is the last attempt's
// error or nil.
func (u *UI) Confirm(c echo.Context, section layout.Section, page layout.ConfirmPage, refused error) (err error) {
	if page.Shell, _, err = u.Shell(c, strings.TrimSuffix(page.Question, "?"), section); err != nil {
		return err
	}
	status := http.StatusOK
	if refused != nil {
		status = http.StatusUnprocessableEntity
		if page.Problems, err = Problems(refused, map[string]string{"typed": "typed"}); err != nil {
			return err
		}
	}
	return u.Render(c, status, layout.Confirm(page))
}

// AnswerError answers a failed request with a page or the login.
func (u *UI) AnswerError(c echo.Context, status int, e *app.Error) {
	ctx := c.Request().Context()
	// A stalled body ends the request's context, but its sender still reads.
	c.SetRequest(c.Request().WithContext(context.WithoutCancel(ctx)))
	setPageHeaders(c)
	if e.Code == app.CodeUnauthorized {
		u.askLogin(c)
		return
	}
	hint := e.Hint
	if e.Code == app.CodeMethodNotAllowed || strings.Contains(hint, "skill.md") {
		hint = "Go back and use the page's own buttons."
	}
	message := format.Sentence(e.Message)
	page := layout.ErrorPage{
		Shell: u.BareShell(c, strings.TrimSuffix(message, ".")), Status: status, Message: message,
		Hint: format.Sentence(hint), Bare: Actor(c).Kind == "",
	}
	if err := u.Render(c, status, layout.Error(page)); err != nil && ctx.Err() == nil {
		u.Log.Warn("an error page could not be written", "error", err)
	}
}
