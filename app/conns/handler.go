package conns

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
)

type contextKey struct{}

// Context is for http.Server.ConnContext: Handler finds the connection of a request by it.
func Context(ctx context.Context, conn net.Conn) context.Context {
	if c, ok := conn.(*Conn); ok {
		return context.WithValue(ctx, contextKey{}, c)
	}
	return ctx
}

// Handler tells the set of a request's connection when the server works for it and when it waits
// for its other end. Requests of other connections pass as they are.
func Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, ok := r.Context().Value(contextKey{}).(*Conn)
		if !ok {
			next.ServeHTTP(w, r)
			return
		}
		none := r.Body == nil || r.Body == http.NoBody
		c.begins(none)
		defer c.ends()
		if !none {
			r.Body = &body{r.Body, c}
		}
		next.ServeHTTP(w, r)
	})
}

// body finds out when all of a request's body is there.
type body struct {
	io.ReadCloser
	conn *Conn
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		b.conn.completes()
	}
	return n, err
}
