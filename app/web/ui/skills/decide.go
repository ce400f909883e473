package skills

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

// approveVersion approves the files of the form's digest.
func (h Handlers) approveVersion(c echo.Context, fields url.Values) error {
	return h.decide(c, fields, "skill-approved", func(number int) error {
		if err := h.checkShown(c, number); err != nil {
			return err
		}
		_, err := h.Engine.Skills.Approve(c.Request().Context(), uix.Actor(c), c.Param("name"), number, fields.Get("digest"))
		return err
	})
}

// checkShown refuses to approve unshowable or masked files, since nobody has seen them.
func (h Handlers) checkShown(c echo.Context, number int) error {
	ctx := c.Request().Context()
	s, err := h.Engine.Skills.Get(ctx, c.Param("name"))
	if err != nil {
		return err
	}
	v, ok := choose(s, strconv.Itoa(number))
	if !ok {
		return app.E(app.CodeNotFound, "there is no such version of this skill", "It may have been deleted.")
	}
	profiles, err := h.Access.Profiles.List(ctx)
	if err != nil {
		return err
	}
	content, err := h.readContent(c, s, v, profiles)
	if names := content.MaskedFiles(); err == nil && len(names) > 0 {
		err = app.E(app.CodeConflict, "parts of "+strings.Join(names, ", ")+" are masked, so nobody can see what they do",
			"Reject this version. A skill reads secrets with settings.get, and holds none.")
	}
	if err == nil && content.Hidden {
		err = app.E(app.CodeConflict, "the files can't be shown yet, since values in Vault were not read",
			"Test those credentials, look at the files, then approve them.")
	}
	return err
}

func (h Handlers) revokeVersion(c echo.Context, fields url.Values) error {
	return h.decide(c, fields, "skill-revoked", func(number int) error {
		_, err := h.Engine.Skills.Revoke(c.Request().Context(), uix.Actor(c), c.Param("name"), number, fields.Get("reason"))
		return err
	})
}

// decide decides about a form's version and leads back with the outcome.
func (h Handlers) decide(c echo.Context, fields url.Values, notice string, change func(number int) error) error {
	number, err := strconv.Atoi(fields.Get("version"))
	if err != nil {
		return app.E(app.CodeNotFound, "there is no such version of this skill", "Go back and use the page's own buttons.")
	}
	if err = change(number); err == nil {
		return h.Done(c, notice, paths.SkillVersionURL(c.Param("name"), number))
	}
	found, err := uix.Problems(err, map[string]string{"reason": "reason"})
	if err != nil {
		return err
	}
	return h.skillPage(c, http.StatusUnprocessableEntity, strconv.Itoa(number), found, fields.Get("reason"))
}

func (h Handlers) switchSkill(c echo.Context, fields url.Values) error {
	to := fields.Get("to")
	if to != "on" && to != "off" {
		return app.Invalid("to", "a skill is switched on or off", "Go back and use the page's own buttons.")
	}
	err := h.Engine.Skills.SetEnabled(c.Request().Context(), uix.Actor(c), c.Param("name"), to == "on")
	return h.finish(c, err, "skill-"+to)
}

func (h Handlers) allowProfile(c echo.Context, fields url.Values) error {
	err := h.Engine.Skills.Allow(c.Request().Context(), uix.Actor(c), c.Param("name"), fields.Get("profile"))
	return h.finish(c, err, "skill-allowed")
}

func (h Handlers) disallowProfile(c echo.Context, fields url.Values) error {
	err := h.Engine.Skills.Disallow(c.Request().Context(), uix.Actor(c), c.Param("name"), fields.Get("profile"))
	return h.finish(c, err, "skill-disallowed")
}

func (h Handlers) finish(c echo.Context, err error, notice string) error {
	if err != nil {
		return err
	}
	return h.Done(c, notice, paths.SkillURL(c.Param("name")))
}

func (h Handlers) askDeleteSkill(c echo.Context) error { return h.confirmDeletion(c, nil) }

// confirmDeletion asks for the skill's name. refused is the last attempt's error or nil.
func (h Handlers) confirmDeletion(c echo.Context, refused error) error {
	s, err := h.Engine.Skills.Get(c.Request().Context(), c.Param("name"))
	if err != nil {
		return err
	}
	return h.Confirm(c, layout.SectionSkills, layout.ConfirmPage{
		Question: "Delete " + s.Name + "?", Button: "Delete " + s.Name, Typed: s.Name,
		Action: paths.At(paths.SkillDelete, s.Name), Back: paths.SkillURL(s.Name),
		Lines: []string{
			"The files of all its versions are removed. Agents can't run it any more.",
			"This can't be undone. The audit log keeps who uploaded and decided what.",
		},
	}, refused)
}

func (h Handlers) deleteSkill(c echo.Context, fields url.Values) error {
	if err := uix.CheckTyped(fields, c.Param("name")); err != nil {
		return h.confirmDeletion(c, err)
	}
	if err := h.Engine.Skills.Delete(c.Request().Context(), uix.Actor(c), c.Param("name")); err != nil {
		return err
	}
	return h.Done(c, "skill-deleted", paths.Skills)
}
