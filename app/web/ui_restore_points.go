package web

import (
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

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
	sh, _, err := s.shell(c, "Delete a restore point", layout.SectionSettings)
	if err != nil {
		return err
	}
	of := "from " + format.Day(p.At)
	return s.confirmation(c, layout.ConfirmPage{
		Shell: sh, Question: "Delete the restore point " + of + "?", Typed: pointName(p), Action: paths.RestorePointURL(p.Name), Button: "Delete the restore point " + of, Back: paths.SettingsMove,
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
	return s.done(c, "point-deleted", paths.SettingsMove)
}
