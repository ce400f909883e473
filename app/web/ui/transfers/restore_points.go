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
	action := "Delete the restore point from " + app.FormatDay(p.At)
	return h.Confirm(c, layout.SectionSettings, layout.ConfirmPage{
		Question: action + "?", Button: action, Typed: pointName(p),
		Action: paths.At(paths.RestorePointPath, p.Name), Back: paths.SettingsMove,
		Lines: []string{
			"You can no longer undo the import that followed it.",
			"This can't be undone. Backups and exports stay as they are.",
		},
	}, refused)
}

// pointName returns a restore point's day and time to type.
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
