package guest

import (
	"context"
	"encoding/json"
	"io"

	"github.com/computclaw/airlock/plugins/wire"
)

// Limits of one execution that no configuration changes.
const (
	maxRefusals = 1000 // questions beyond the limit that are answered with an error before the session ends
	connectRate = 100  // connections per second; more have to wait
	maxAsked    = 2000 // claims that are passed on; further ones are ignored
)

// Job is what one box runs.
type Job struct {
	Script    string
	Skill     *wire.Skill // runs instead of Script, which then only names it; nil: the script runs
	Settings  map[string]string
	Inputs    []byte      // JSON; nil means none
	Hosts     []wire.Host // what the box's resolver answers and where it listens; Handler.Dial decides
	MaxOutput int64       // bytes, of stdout and of stderr each
	MaxResult int64       // bytes of JSON
	Files     []InputFile
	Questions int // how often the script may ask the LLM; 0 means app.MaxLLMCalls
}

// Handler handles a script's actions. All fields but Ended and Artifact must be set. The functions
// are called concurrently, but each of Stdout and Stderr by one goroutine at a time. Run waits for
// calls in progress and makes none afterwards.
type Handler struct {
	// Stdout and Stderr take output in order, at most Job.MaxOutput bytes in all. p is valid only
	// during the call.
	Stdout, Stderr func(p []byte)

	// LLM answers a question. It may block until ctx ends, as long as the person or agent takes.
	// Only Text and Error of the reply are used. An error raises llm.Error with its text in the
	// script.
	LLM func(ctx context.Context, q wire.LLMRequest) (wire.LLMReply, error)

	// Dial decides about a connection and makes it. The name has the syntax of a host name in lower
	// case; nothing more was checked. An error refuses the connection. Port 0 reports a name that
	// the box's resolver doesn't know: record it without dialling; the error is not shown.
	Dial func(ctx context.Context, host string, port int) (Conn, error)

	// Unanswered reports a DNS query of a type, such as SRV, that no box answers. Only the
	// characters of host and record were checked.
	Unanswered func(host, record string)

	// Limited reports a connection, or with port 0 a name, that a limit of the box stopped. Only
	// the host's characters were checked.
	Limited func(host string, port int, limit wire.Limit)

	// Asked reports that a line of the script (0: unknown) asks for a host and port (0: unknown),
	// at most maxAsked times. It is the guest's claim. Only the host's characters were checked.
	Asked func(host string, port, line int)

	// Ended is called when the script has ended, before what it left is collected.
	Ended func()

	// Artifact takes the script's artifacts, one at a time, after its end or a stop. content has
	// Size bytes, or fails; it is nil if there is a Problem. An error ends the collection. If
	// Artifact is nil, nothing is collected, and a stop ends the box at once.
	Artifact func(a Artifact, content io.Reader) error
}

// Conn is a connection to the outside. Run closes it exactly once. If the script's end breaks, Run
// resets a Conn that has SetLinger of net.TCPConn.
type Conn interface {
	io.ReadWriteCloser
	// CloseWrite says that the script will send no more.
	CloseWrite() error
}

// Outcome is what the guest claims about a script's end, within this package's limits.
type Outcome struct {
	Exited wire.Exited     // zero unless Run's error is nil
	Failed *wire.Failed    // how the script failed, in its own terms, up to a frame long; nil if it didn't say
	Result json.RawMessage // valid JSON; nil if the script set none

	ArtifactsCut bool // the script left some that didn't come
}
