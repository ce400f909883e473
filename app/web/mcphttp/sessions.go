package mcphttp

import (
	"context"
	"iter"
	"slices"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// sessionLimit closes the oldest session to admit a new one. Its client can open another. It is
// safe for concurrent use.
type sessionLimit struct {
	most int
	open func() iter.Seq[*sdk.ServerSession]

	mu   sync.Mutex
	list []*sdk.ServerSession
}

func (l *sessionLimit) middleware(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if session, ok := req.GetSession().(*sdk.ServerSession); ok && method == "initialize" {
			l.add(session)
		}
		return next(ctx, method, req)
	}
}

func (l *sessionLimit) add(session *sdk.ServerSession) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if slices.Contains(l.list, session) {
		return
	}
	open := slices.Collect(l.open())
	l.list = slices.DeleteFunc(l.list, func(s *sdk.ServerSession) bool { return !slices.Contains(open, s) })
	l.list = append(l.list, session)
	if len(l.list) > l.most {
		oldest := l.list[0]
		l.list = slices.Delete(l.list, 0, 1)
		go func() { _ = oldest.Close() }() // which waits for its calls
	}
}
