package api

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"io"
	"net/url"
	"path"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/httpx"
)

// artifactView is a file that a script left.
type artifactView struct {
	Name     string        `json:"name"`
	Size     int64         `json:"size" about:"bytes"`
	SHA256   string        `json:"sha256,omitempty" about:"absent if it was withheld"`
	Type     string        `json:"type,omitempty" about:"media type, guessed"`
	URL      string        `json:"url,omitempty" about:"good for an hour, to anybody; absent if not kept"`
	Masked   int           `json:"masked,omitempty" about:"places in a text"`
	Withheld *withheldView `json:"withheld,omitempty" about:"why its content is not kept"`
}

// withheldView says why a content is not kept.
type withheldView struct {
	Reason string `json:"reason"`
	Key    string `json:"key,omitempty" about:"whose value it holds, if that is why"`
}

// viewArtifacts lists an execution's artifacts with temporary links.
func (h *Handlers) viewArtifacts(ctx context.Context, base string, x app.Execution) ([]artifactView, error) {
	list, err := h.Engine.Reader.Artifacts(ctx, x)
	if err != nil {
		return nil, err
	}
	var views []artifactView
	for _, a := range list {
		v := artifactView{Name: a.Name, Size: a.Size, SHA256: a.SHA256, Type: a.Type, Masked: a.Masked}
		switch {
		case a.Withheld != "":
			v.Withheld = &withheldView{a.Withheld, a.Key}
		case a.Kept:
			v.URL = base + h.Engine.Files.Link(x.Handle, a.Name)
		default:
			v.Withheld = &withheldView{Reason: "It is not kept any more."}
		}
		views = append(views, v)
	}
	return views, nil
}

func errNoArtifact() error {
	return app.E(app.CodeNotFound, "there is no such artifact, or its content is not kept any more",
		"GET /executions/{id} lists artifacts; a url in it is good for an hour, then ask again.")
}

// artifact answers GET /executions/{id}/artifacts/{name}. It takes a bearer, or a signature with
// the execution's handle for its id.
func (h *Handlers) artifact(c echo.Context) error {
	if err := httpx.KnownQuery(c, "expires", "signature"); err != nil {
		return err
	}
	// the router may have decoded it
	name, err := url.PathUnescape(path.Base(c.Request().URL.EscapedPath()))
	if err != nil {
		return errNoArtifact()
	}
	x, err := h.artifactOf(c, name)
	if err != nil {
		return err
	}
	a, content, err := h.Engine.Reader.OpenArtifact(c.Request().Context(), x.Handle, name)
	if app.CodeOf(err) == app.CodeNotFound {
		return errNoArtifact()
	}
	if err != nil {
		return err
	}
	defer content.Close()
	return sendAttachment(c, httpx.Download{Name: a.Name, Type: a.Type, Size: a.Size}, func(w io.Writer) error {
		_, err := io.Copy(w, content)
		return err
	})
}

// artifactOf returns the execution that a request for an artifact names.
func (h *Handlers) artifactOf(c echo.Context, name string) (app.Execution, error) {
	signature := c.QueryParam("signature")
	if signature == "" && c.QueryParam("expires") == "" {
		return h.ownExecution(c)
	}
	seconds, err := strconv.ParseInt(c.QueryParam("expires"), 10, 64)
	until := time.Unix(seconds, 0)
	handle := c.Param("id")
	if err != nil || h.Now().After(until) || !h.Engine.Files.IsSigned(signature, handle, name, until) {
		return app.Execution{}, app.E(app.CodeNotFound, "this link is not complete, or older than an hour",
			"Use the artifact's url as a whole (in JSON \\u0026 stands for &), or ask the agent for a new one.")
	}
	x, err := h.Engine.Reader.ByHandle(c.Request().Context(), handle)
	if app.CodeOf(err) == app.CodeNotFound {
		return x, errNoArtifact()
	}
	if err != nil {
		return x, err
	}
	httpx.LogExecution(c, x.Handle)
	p, err := h.Access.Profiles.ByHandle(c.Request().Context(), x.ProfileHandle)
	if app.CodeOf(err) == app.CodeNotFound || err == nil && p.Revoked {
		return x, errNoArtifact()
	}
	return x, err
}

// ownExecution returns the execution in the path, which must be the bearer's. Logs and other agents
// may hold its id.
func (h *Handlers) ownExecution(c echo.Context) (app.Execution, error) {
	if _, err := h.bearer(c); err != nil {
		return app.Execution{}, err
	}
	return h.executionOf(c)
}

// allArtifacts answers GET /executions/{id}/artifacts.tar.gz with the kept ones.
func (h *Handlers) allArtifacts(c echo.Context) error {
	if err := httpx.KnownQuery(c); err != nil {
		return err
	}
	x, err := h.ownExecution(c)
	if err != nil {
		return err
	}
	list, err := h.Engine.Reader.Artifacts(c.Request().Context(), x)
	if err != nil {
		return err
	}
	archive := httpx.Download{Name: "artifacts.tar.gz", Type: "application/gzip", Size: httpx.UnknownSize}
	return sendAttachment(c, archive, func(w io.Writer) error {
		zip := gzip.NewWriter(w)
		out := tar.NewWriter(zip)
		for _, a := range list {
			if !a.Kept {
				continue
			}
			if err := h.addToTar(c.Request().Context(), out, x, a.Name); err != nil {
				return err
			}
		}
		if err := out.Close(); err != nil {
			return err
		}
		return zip.Close()
	})
}

func (h *Handlers) addToTar(ctx context.Context, out *tar.Writer, x app.Execution, name string) error {
	a, content, err := h.Engine.Reader.OpenArtifact(ctx, x.Handle, name)
	if app.CodeOf(err) == app.CodeNotFound {
		return nil // it ended meanwhile
	}
	if err != nil {
		return err
	}
	defer content.Close()
	if err := out.WriteHeader(&tar.Header{Name: a.Name, Size: a.Size, Mode: 0o600, ModTime: x.CompletedAt}); err != nil {
		return err
	}
	_, err = io.Copy(out, content)
	return err
}

// sendAttachment sends content that no browser shows in Airlock's own origin.
func sendAttachment(c echo.Context, d httpx.Download, write func(io.Writer) error) error {
	c.Response().Header().Set(echo.HeaderContentSecurityPolicy, httpx.SandboxPolicy)
	return httpx.SendDownload(c, d, write)
}
