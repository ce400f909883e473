package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/client"
)

// Addresses of artifacts. The agent API authorises each read.
const (
	uriBeginning = "airlock://executions/"
	uriMiddle    = "/artifacts/"
	artifactURIs = uriBeginning + "{execution_id}" + uriMiddle + "{name}"
)

// maxResource bounds an artifact read as a resource, in bytes. It is held in memory.
const maxResource = 4 << 20

// artifact is one as the API shows it.
type artifact struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
	Type string `json:"type"`
	URL  string `json:"url"` // "": its content is not kept
}

// artifacts reads what an execution left from the API's answer.
func artifacts(got client.Answer) (id string, list []artifact) {
	var x struct {
		ID        string     `json:"execution_id"`
		Artifacts []artifact `json:"artifacts"`
	}
	if json.Unmarshal(got.Text, &x) != nil {
		return "", nil
	}
	return x.ID, x.Artifacts
}

func links(got client.Answer) (all []sdk.Content) {
	id, list := artifacts(got)
	for _, a := range list {
		if a.URL == "" {
			continue
		}
		all = append(all, &sdk.ResourceLink{URI: artifactURI(id, a.Name), Name: a.Name, MIMEType: a.Type, Size: &a.Size,
			Description: "The script left it. Give a person this link, good for an hour: " + a.URL})
	}
	return all
}

func artifactURI(id, name string) string {
	return uriBeginning + url.PathEscape(id) + uriMiddle + strings.ReplaceAll(url.QueryEscape(name), "+", "%20")
}

func (s server) readArtifact(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	ctx, api := s.way(ctx, req.Extra)
	uri := req.Params.URI
	missing := sdk.ResourceNotFoundError(uri)
	id, escaped, found := strings.Cut(strings.TrimPrefix(uri, uriBeginning), uriMiddle)
	name, err := url.PathUnescape(escaped)
	if err != nil || !found || strings.Contains(id, "/") {
		return nil, missing
	}
	path, profile := "/executions/"+id, s.ownProfile(req.Extra)
	got, err := api.Do(ctx, client.Request{Method: "GET", Path: path, Profile: profile})
	if err != nil || !got.OK() {
		return nil, unreadable(got, err, missing)
	}
	_, list := artifacts(got)
	for _, a := range list {
		if a.Name != name || a.URL == "" {
			continue
		}
		if a.Size > maxResource {
			return nil, fmt.Errorf("the artifact has %s, and a resource at most %s; give a person its url, or have a script "+
				"reduce it", app.FormatSize(a.Size), app.FormatSize(maxResource))
		}
		content, err := api.Do(ctx, client.Request{Method: "GET", Path: path + uriMiddle + url.PathEscape(a.Name),
			Profile: profile})
		if err != nil || !content.OK() {
			return nil, unreadable(content, err, missing)
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{contents(uri, a.Type, content.Text)}}, nil
	}
	return nil, missing
}

// contents are a text, or base64 of anything else.
func contents(uri, media string, content []byte) *sdk.ResourceContents {
	c := &sdk.ResourceContents{URI: uri, MIMEType: media}
	if text := strings.HasPrefix(media, "text/") || media == "application/json"; text && utf8.Valid(content) {
		c.Text = string(content)
	} else {
		c.Blob = content
	}
	return c
}

// unreadable explains why a resource can't be read. Those of other profiles look missing.
func unreadable(got client.Answer, err, missing error) error {
	refusal := orRefusal(got, err)
	if app.CodeOf(refusal) == app.CodeNotFound {
		return missing
	}
	return refusal
}
