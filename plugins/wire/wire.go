// Package wire holds the shapes that the engine and a box exchange over the box's stdin and stdout.
//
// The pipe carries yamux; the engine is its client and airlock-init its server, and either side opens streams. Every stream begins
// with one Header frame that names its kind. A frame is a 4-byte big-endian length and that many bytes of JSON, at most
// MaxFrame of them. After the header a control stream carries frames both ways; stdout, stderr and connect streams carry raw bytes.
//
// Nothing that comes out of a box is trusted: the engine decodes strictly, caps everything and decides again.
package wire

// MaxFrame is the largest frame either side accepts, in bytes. A longer one ends the session.
const MaxFrame = 8 << 20

// Kind is a stream's kind.
type Kind string

// The kinds. The engine opens Control, once, as the first stream. airlock-init opens the others.
const (
	Control Kind = "control"
	Stdout  Kind = "stdout"
	Stderr  Kind = "stderr"
	Connect Kind = "connect"
)

// Header is the first frame of every stream.
type Header struct {
	Kind Kind   `json:"kind"`
	Host string `json:"host,omitempty"` // connect: the name the script asked the resolver for
	Port int    `json:"port,omitempty"` // connect
}

// ConnectReply is the one frame that the engine answers to a connect header, before raw bytes flow.
type ConnectReply struct {
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"` // shown in the ledger and in logs of the guest, not to the script's socket
}

// Message is a frame on the control stream. Exactly one field is set.
type Message struct {
	// From the guest.
	Ready  *Ready      `json:"ready,omitempty"`
	LLM    *LLMRequest `json:"llm,omitempty"`
	Result *Result     `json:"result,omitempty"`
	Failed *Failed     `json:"failed,omitempty"`
	Exited *Exited     `json:"exited,omitempty"`
	Frozen *Frozen     `json:"frozen,omitempty"`

	// From the engine.
	Boot   *Boot     `json:"boot,omitempty"`
	Start  *Start    `json:"start,omitempty"`
	Reply  *LLMReply `json:"reply,omitempty"`
	Freeze *Freeze   `json:"freeze,omitempty"`
	Kill   *Kill     `json:"kill,omitempty"`
}

// Boot is the first message on the control stream: it starts the interpreter, long before there is a script to run.
type Boot struct {
	Runner []byte `json:"runner"` // Python source of the runner
}

// Ready is sent once the interpreter is up and waiting. It describes the runtime for manifests.
type Ready struct {
	Protocol int    `json:"protocol"` // 1
	Runner   string `json:"runner"`   // sha256 of the runner's source
	Python   string `json:"python"`   // such as 3.11.2
	Packages string `json:"packages"` // sha256 over the sorted name==version lines of the installed distributions
}

// Start hands over the one script this box will ever run.
type Start struct {
	Script   string            `json:"script"`
	Settings map[string]string `json:"settings"`
	Inputs   []byte            `json:"inputs,omitempty"` // JSON; absent means null
	Hosts    []Host            `json:"hosts"`
	CABundle []byte            `json:"ca_bundle,omitempty"` // PEM; absent means the runtime's own
	// MaxOutput caps each of stdout and stderr in the guest as a courtesy; the engine caps again. Bytes.
	MaxOutput int64 `json:"max_output"`
	MaxResult int64 `json:"max_result"` // bytes of JSON
}

// Host is a name (or "*.name" for true subdomains) that the box's resolver answers, and the ports that are listened on.
type Host struct {
	Name  string `json:"name"`
	Ports []int  `json:"ports"`
}

// LLMRequest is a script's question. IDs are made by the guest, unique in the box.
type LLMRequest struct {
	ID     string `json:"id"`
	Prompt string `json:"prompt"`
	Model  string `json:"model"`
}

// LLMReply answers the request with that id: Text, or Error which raises llm.Error in the script.
type LLMReply struct {
	ID    string  `json:"id"`
	Text  string  `json:"text,omitempty"`
	Error *string `json:"error,omitempty"`
}

// Result is the data given to set_result, as JSON. The last one counts.
type Result struct {
	Data []byte `json:"data"`
}

// Failed tells how the script failed, in the script's own terms. It is a claim: that the script failed comes from Exited.
type Failed struct {
	Error     string `json:"error"`          // such as NameError: name 'foo' is not defined
	Traceback string `json:"traceback"`      // the script's own lines only
	Line      int    `json:"line,omitempty"` // in the script, 1-based; 0 if unknown
}

// Exited is the runner's wait status as its parent, airlock-init, saw it. Stdout and stderr streams end before it is sent.
type Exited struct {
	Code   int `json:"code"` // -1 if a signal ended it
	Signal int `json:"signal,omitempty"`
}

// Freeze stops (On) or continues every process of the box except airlock-init.
type Freeze struct {
	On bool `json:"on"`
}

// Frozen answers Freeze once /proc shows the state asked for.
type Frozen struct {
	On bool `json:"on"`
}

// Kill ends the box at once.
type Kill struct{}
