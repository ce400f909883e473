package assets

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed css/*.css js/*.js favicon.svg vendor/htmx.min.js vendor/hx-sse.min.js
var files embed.FS

// Prefix is the path under which Handler serves.
const Prefix = "/ui/assets/"

// asset is one file as it is served.
type asset struct {
	url, kind string
	plain     []byte
	zipped    []byte // nil where gzip does not make it smaller
}

var table = sync.OnceValue(func() map[string]asset {
	all := map[string]asset{}
	all["favicon.svg"] = newAsset("favicon.svg", read("favicon.svg"))
	all["app.css"] = newAsset("app.css", joined("css"))
	// Join them: htmx starts when loaded and ignores later extensions.
	script := slices.Concat(read("vendor/htmx.min.js"), []byte("\n"), read("vendor/hx-sse.min.js"),
		[]byte("\n(() => {\n\"use strict\";\n"), joined("js"), []byte("})();\n"))
	all["app.js"] = newAsset("app.js", script)
	return all
})

// joined concatenates a directory's files in name order.
func joined(dir string) []byte {
	entries, err := files.ReadDir(dir)
	if err != nil {
		panic("assets: embedded files are always readable: " + err.Error())
	}
	var all []byte
	for _, e := range entries {
		all = append(append(all, read(dir+"/"+e.Name())...), '\n')
	}
	return all
}

func read(name string) []byte {
	data, err := files.ReadFile(name)
	if err != nil {
		panic("assets: embedded files are always readable: " + err.Error())
	}
	return data
}

var byURL = sync.OnceValue(func() map[string]asset {
	all := map[string]asset{}
	for _, a := range table() {
		all[a.url] = a
	}
	return all
})

func newAsset(name string, data []byte) asset {
	sum := sha256.Sum256(data)
	base, ext := path.Base(name), path.Ext(name)
	return asset{
		url:    Prefix + strings.TrimSuffix(base, ext) + "-" + hex.EncodeToString(sum[:6]) + ext,
		kind:   contentType(ext),
		plain:  data,
		zipped: zip(data),
	}
}

// contentType avoids the mime package, whose answers depend on the machine.
func contentType(ext string) string {
	switch ext {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	panic("assets: no content type for " + ext)
}

func zip(data []byte) []byte {
	var buf bytes.Buffer
	w, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		panic("assets: the level is valid: " + err.Error())
	}
	_, _ = w.Write(data) // a bytes.Buffer takes everything
	_ = w.Close()
	if buf.Len() >= len(data) {
		return nil
	}
	return buf.Bytes()
}

// URL returns an asset's path, such as /ui/assets/app-3f9c1a2b4c5d.css for app.css. It panics on
// unknown names.
func URL(name string) string {
	a, ok := table()[name]
	if !ok {
		panic(fmt.Sprintf("assets: there is no %q", name))
	}
	return a.url
}

// Handler serves the assets under Prefix with unlimited caching. Anything else is 404.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, ok := byURL()[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", a.kind)
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
		h.Set("Vary", "Accept-Encoding")
		body := a.plain
		if a.zipped != nil && acceptsGzip(r.Header.Get("Accept-Encoding")) {
			h.Set("Content-Encoding", "gzip")
			body = a.zipped
		}
		h.Set("Content-Length", strconv.Itoa(len(body)))
		if r.Method != http.MethodHead {
			_, _ = w.Write(body) // the client may be gone
		}
	})
}

// acceptsGzip reports whether a header accepts gzip. Weight zero refuses it.
func acceptsGzip(header string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, weight, weighted := strings.Cut(strings.TrimSpace(part), ";")
		if name != "gzip" {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(weight), "q="), 64)
		return !weighted || err != nil || q > 0
	}
	return false
}
