package transfers

import (
	"net/url"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

func (h Handlers) askDeletePoint(c echo.Context) error {
	p, err := h.pathPoint(c)
	if err != nil {
		return err
	}
	return h.confirmPointDeletion(c, p, nil)
}

// pathPoint is the restore point that the address names.
func (h Handlers) pathPoint(c echo.Context) (transfer.RestorePoint, error) {
	points, err := h.Transfer.RestorePoints()
	if err != nil {
		return transfer.RestorePoint{}, err
	}
	i := slices.IndexFunc(points, func(p transfer.RestorePoint) bool { return p.Name == c.Param("name") })
	if i < 0 {
		return transfer.RestorePoint{}, app.E(app.CodeNotFound, "there is no such restore point",
			"It may have been deleted already.")
	}
	return points[i], nil
}

func (h Handlers) confirmPointDeletion(c echo.Context, p transfer.RestorePoint, refused error) error {
	sh, _, err := h.Shell(c, "Delete a restore point", layout.SectionSettings)
	if err != nil {
		return err
	}
	of := "from " + app.FormatDay(p.At)
	return h.Confirm(c, layout.ConfirmPage{
		Shell: sh, Question: "Delete the restore point " + of +
			"?", Typed: pointName(p), Action: paths.At(paths.RestorePointPath, p.Name), Button: "Delete the restore " +
			"point " + of,
		Back: paths.SettingsMove,
		Lines: []string{
			"You can no longer undo the import that followed it.",
			"This can't be undone. Backups and exports stay as they are.",
		},
	}, refused)
}

// pointName is what a person types to name a restore point: its day and time.
func pointName(p transfer.RestorePoint) string { return p.At.UTC().Format("2006-01-02 15:04") }

func (h Handlers) deletePoint(c echo.Context, fields url.Values) error {
	p, err := h.pathPoint(c)
	if err != nil {
		return err
	}
	if err := uix.CheckTyped(fields, pointName(p)); err != nil {
		return h.confirmPointDeletion(c, p, err)
	}
	if err := h.Transfer.DeleteRestorePoint(c.Request().Context(), uix.Actor(c), c.Param("name")); err != nil {
		return err
	}
	return h.Done(c, "point-deleted", paths.SettingsMove)
}
