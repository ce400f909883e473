package credentials

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	appcredentials "github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/dotenv"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/credentialview"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

func (h *Handlers) showPaste(c echo.Context) error {
	return h.pastePage(c, http.StatusOK, credentialview.PastePage{})
}

// pastePage shows the form with its problems.
func (h *Handlers) pastePage(c echo.Context, status int, page credentialview.PastePage) (err error) {
	if page.Shell, _, err = h.Shell(c, "Paste a .env file", layout.SectionCredentials); err != nil {
		return err
	}
	return h.Render(c, status, credentialview.Paste(page))
}

// paste reads text or a file and leads to the preview. The form reports unreadable lines. The text
// is never sent back: a person can correct it in the browser or take the rest.
func (h *Handlers) paste(c echo.Context, fields url.Values) error {
	text := fields.Get("text")
	file, err := uix.UploadedFile(c, "file", dotenv.MaxText)
	switch {
	case err != nil:
	case strings.TrimSpace(text) == "":
		text = file
	case file != "":
		err = app.Invalid("file", "give either the text or the file, not both", "")
	}
	entries, wrong := dotenv.Parse(text)
	if err == nil && len(entries)+len(wrong) == 0 {
		err = app.Invalid("text", "there is no NAME=value in it", "")
	}
	if err != nil {
		found, err := uix.Problems(err, map[string]string{"file": "file", "text": "text"})
		if err != nil {
			return err
		}
		return h.pastePage(c, http.StatusUnprocessableEntity, credentialview.PastePage{Problems: found})
	}
	h.staged.put(uix.Session(c).ID, entries)
	if len(wrong) > 0 {
		return h.pastePage(c, http.StatusUnprocessableEntity, credentialview.PastePage{Lines: wrong, Readable: len(entries)})
	}
	return c.Redirect(http.StatusSeeOther, paths.CredentialPreview)
}

func (h *Handlers) showPreview(c echo.Context) error {
	entries := h.staged.get(uix.Session(c).ID)
	if len(entries) == 0 {
		return h.Done(c, "nothing-pasted", paths.CredentialPaste)
	}
	return h.previewPage(c, http.StatusOK, entries, nil, nil)
}

// previewPage shows the names to store and whether their values are good. fields, if not nil, are
// the decisions so far.
func (h *Handlers) previewPage(
	c echo.Context, status int, entries []dotenv.Entry, fields url.Values, found components.Problems,
) error {
	ctx := c.Request().Context()
	sh, _, err := h.Shell(c, "Review pasted values", layout.SectionCredentials)
	if err != nil {
		return err
	}
	list, err := h.Access.Credentials.List(ctx)
	if err != nil {
		return err
	}
	page := credentialview.PreviewPage{Shell: sh, Problems: found}
	for _, e := range entries {
		row := previewRow(e, entries)
		if i := slices.IndexFunc(list, func(c app.Credential) bool { return c.Name == e.Name }); i >= 0 {
			row.Exists, row.Mode, row.Action, row.Profiles = true, list[i].Mode, "skip", list[i].Profiles
			if row.Reached, err = h.Access.Policies.DescribeReached(ctx, list[i], e.Value); err != nil {
				return err
			}
		}
		if fields != nil {
			row.Action = fields.Get(credentialview.ActionField(e.Name))
			if !row.Exists {
				row.Mode = app.Mode(fields.Get(components.ModeField(e.Name)))
				row.Hosts = fields.Get(components.HostsField(e.Name))
			}
		}
		page.Rows = append(page.Rows, row)
	}
	return h.Render(c, status, credentialview.Preview(page))
}

// plainName matches variables that are mostly not secret.
var plainName = regexp.MustCompile(`(?i)(^|_)(url|uri|host|hostname|port|region|user|username|env|environment|` +
	`debug|log_level|timeout|bucket|database|db|schema|endpoint|domain|version|mode|locale|tz)$`)

// previewRow suggests what to do with an entry.
func previewRow(e dotenv.Entry, all []dotenv.Entry) credentialview.PreviewRow {
	facts := app.Describe(e.Value)
	row := credentialview.PreviewRow{
		Name: e.Name, Line: e.Line, Action: "add", Mode: app.ModeSealed, Empty: e.Value.Empty(), Size: facts.Size,
		Lines: facts.Lines, Expands: e.Expands,
	}
	switch {
	case row.Empty:
		row.Action = "skip"
	case !facts.Password && (plainName.MatchString(e.Name) || facts.Host != "" && facts.Size < 200):
		row.Mode = app.ModePlain
	case app.NamesInjected(e.Name):
		row.Mode = app.ModeInjected
		row.Weak = app.WeakValue(e.Value)
	default:
		row.Weak = app.WeakValue(e.Value)
		service, _ := app.ServiceOf(e.Name)
		row.Hosts = cmp.Or(nearbyHost(e.Name, all), service.Host)
	}
	return row
}

// nearbyHost returns the host of STRIPE_URL for STRIPE_API_KEY, or "".
func nearbyHost(name string, all []dotenv.Entry) string {
	prefix, _, ok := strings.Cut(name, "_")
	for _, e := range all {
		if host := app.Describe(e.Value).Host; ok && e.Name != name && host != "" &&
			strings.HasPrefix(e.Name, prefix+"_") {
			return host
		}
	}
	return ""
}

// betweenHosts reports whether a character separates hosts. A comma doesn't: it may separate ports.
func betweenHosts(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == ';' }

// applyPaste applies the decisions. Stored entries leave the preview; refused ones stay with
// reasons.
func (h *Handlers) applyPaste(c echo.Context, fields url.Values) error {
	session := uix.Session(c).ID
	entries := h.staged.get(session)
	if fields.Get("do") == "discard" {
		h.staged.put(session, nil)
		return h.Done(c, "paste-discarded", paths.Credentials)
	}
	if len(entries) == 0 {
		return h.Done(c, "nothing-pasted", paths.CredentialPaste)
	}
	found := components.Problems{}
	var left []dotenv.Entry
	for _, e := range entries {
		wrong, err := h.applyEntry(c.Request().Context(), uix.Actor(c), e, fields)
		if err != nil {
			return err
		}
		if len(wrong) > 0 {
			left = append(left, e)
			for field, message := range wrong {
				found[field] = message
			}
		}
	}
	h.staged.put(session, left)
	if len(left) > 0 {
		return h.previewPage(c, http.StatusUnprocessableEntity, left, fields, found)
	}
	return h.Done(c, "pasted", paths.Credentials)
}

// applyEntry stores one entry and returns its row's problems.
func (h *Handlers) applyEntry(
	ctx context.Context, by app.Actor, e dotenv.Entry, fields url.Values,
) (components.Problems, error) {
	in := appcredentials.Input{Name: e.Name, Value: e.Value}
	mode, hosts := components.ModeField(e.Name), components.HostsField(e.Name)
	var err error
	switch fields.Get(credentialview.ActionField(e.Name)) {
	case "skip":
		return nil, nil
	case "overwrite":
		if _, err = h.Access.Credentials.ByName(ctx, e.Name); err == nil && e.Value.Empty() {
			err = app.Invalid("value", "the value is empty", "Skip it.")
		}
		if err == nil {
			_, err = h.Access.Credentials.Set(ctx, by, in)
		}
	case "add":
		in.Mode = app.Mode(fields.Get(mode))
		if in.Mode == app.ModeSealed {
			in.Hosts, err = uix.ParseHosts(strings.Join(strings.FieldsFunc(fields.Get(hosts), betweenHosts), "\n"), nil)
		}
		if err == nil {
			_, err = h.Access.Credentials.Create(ctx, by, in)
		}
	default:
		err = app.Invalid("action", "nothing was decided", "Choose what to do with it.")
	}
	if err == nil {
		return nil, nil
	}
	place := credentialview.ActionField(e.Name)
	found, err := uix.Problems(err, map[string]string{
		"mode": mode, "host": hosts, "hosts": hosts, "value": place, "name": place, "action": place,
	})
	if message, ok := found[""]; ok {
		delete(found, "")
		found[place] = message
	}
	return found, err
}
