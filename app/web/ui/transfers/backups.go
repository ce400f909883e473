package transfers

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/backups"
	"github.com/computclaw/airlock/app/blobs"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
	"github.com/computclaw/airlock/views/settingsview"
)

func (h Handlers) showBackups(c echo.Context) error {
	state, err := h.Backups.BackupState(c.Request().Context())
	if err != nil {
		return err
	}
	form := backupForm(state.Settings, state.Settings, strconv.Itoa(state.Settings.Keep))
	if !state.Set {
		form.Every, form.Keep, form.Kind = backups.Daily, "14", backups.ToDirectory
	}
	return h.backupsPage(c, http.StatusOK, form, state, nil)
}

// backupForm returns settings without secrets, and which secrets are stored.
func backupForm(shown, stored backups.BackupSettings, keep string) settingsview.BackupForm {
	shown.Passphrase, shown.S3.SecretKey = app.Secret{}, app.Secret{}
	return settingsview.BackupForm{BackupSettings: shown, Keep: keep, HasPassphrase: !stored.Passphrase.Empty(),
		HasSecret: !stored.S3.SecretKey.Empty()}
}

func (h Handlers) backupsPage(
	c echo.Context, status int, f settingsview.BackupForm, state backups.BackupState, found components.Problems,
) error {
	sh, _, err := h.Shell(c, "Backups", layout.SectionSettings)
	if err != nil {
		return err
	}
	artifacts, err := h.Transfer.ArtifactBytes(c.Request().Context(), nil)
	if err != nil {
		return err
	}
	page := settingsview.BackupsPage{
		Shell: sh, Form: f, Set: state.Set && !state.Settings.Passphrase.Empty(),
		Place: strings.TrimPrefix(state.Place, " "), Next: state.Next, Problem: state.Problem, Problems: found,
		Artifacts: artifacts,
	}
	for _, b := range state.List {
		page.Rows = append(page.Rows, backupRow(b))
	}
	return h.Render(c, status, settingsview.Backups(page))
}

func backupRow(b store.Backup) settingsview.BackupRow {
	row := settingsview.BackupRow{
		At: b.StartedAt, Status: b.Status, Cause: b.Cause, Name: b.Name, Size: b.Size, Detail: b.Error,
	}
	if b.Cause == "schedule" {
		row.Cause = "Schedule"
	} else if b.By.Name != "" {
		row.Cause = b.By.Name
	}
	if b.Status == store.BackupVerified {
		row.Detail = backups.DescribeRestore(b) + ", in " + b.Target + "."
		if b.Error != "" {
			row.Detail += " " + b.Error
		}
	}
	return row
}

func (h Handlers) saveBackups(c echo.Context, fields url.Values) error {
	get := func(name string) string { return strings.TrimSpace(fields.Get(name)) }
	keep, err := strconv.Atoi(get("keep"))
	if err != nil {
		keep = 0
	}
	in := backups.BackupSettings{On: get("on") == "yes", Every: get("every"), Keep: keep, Kind: get("kind"),
		Directory: get("directory"), Files: get("files") == "yes", Artifacts: get("artifacts") == "yes",
		Passphrase: app.NewSecret(fields.Get("passphrase")),
		S3: blobs.S3{Endpoint: get("endpoint"), Region: get("region"), Bucket: get("bucket"), Prefix: get("prefix"),
			PathStyle: get("path_style") == "yes", AccessKey: get("access_key"),
			SecretKey: app.NewSecret(get("secret_key"))}}
	// a typing error would surface only at a restore
	found := uix.CheckRepeated(fields.Get("passphrase"), fields.Get("again"), "again")
	if found == nil {
		if err = h.Backups.SetBackupSettings(c.Request().Context(), uix.Actor(c), in); err == nil {
			return h.Done(c, "backups-saved", paths.SettingsBackups)
		}
		found, err = uix.Problems(err, map[string]string{"keep": "keep", "passphrase": "passphrase",
			"directory": "directory", "endpoint": "endpoint", "bucket": "bucket", "access_key": "access_key",
			"secret_key": "secret_key",
			"every":      "every", "kind": "kind"})
		if err != nil {
			return err
		}
	}
	state, err := h.Backups.BackupState(c.Request().Context())
	if err != nil {
		return err
	}
	typed := backupForm(in, state.Settings, get("keep"))
	return h.backupsPage(c, http.StatusUnprocessableEntity, typed, state, found)
}

func (h Handlers) backUpNow(c echo.Context) error {
	id, err := h.Backups.Start(uix.Actor(c))
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, paths.At(paths.TransferPath, id))
}
