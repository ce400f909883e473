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

	// Files asks for the content of Start.Files: the engine writes one file after the other and
	// closes its side.
	Files Kind = "files"
	// Artifacts carries what the script left: see Artifact.
	Artifacts Kind = "artifacts"
)

// Header is the first frame of every stream.
type Header struct {
	Kind Kind   `json:"kind"`
	Host string `json:"host,omitempty"` // connect: the name the script asked the resolver for
	Port int    `json:"port,omitempty"` // connect; 0 tells of a name that the resolver did not answer
	// Record is the type of an unanswered DNS query, such as SRV or TXT.
	Record string `json:"record,omitempty"`
	// Limit is the box's limit that stopped the connection or name. Such a header is only recorded.
	Limit Limit `json:"limit,omitempty"`
}

// Limit names a limit that airlock-init holds.
type Limit string

// The limits.
const (
	LimitOpen     Limit = "open"     // MaxConnects, or MaxWaiting, and none became free within MaxWait
	LimitTotal    Limit = "total"    // MaxConnections
	LimitRefusals Limit = "refusals" // MaxRefusals of one kind: later ones are not reported
)

// Valid reports whether l is one of the limits, or "" for none.
func (l Limit) Valid() bool {
	return l == "" || l == LimitOpen || l == LimitTotal || l == LimitRefusals
}

// ConnectReply is the engine's one answer to a connect header, before raw bytes flow.
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
	Asked  *Asked      `json:"asked,omitempty"`

	// From either side.
	Abort *Abort `json:"abort,omitempty"`

	// From the engine.
	Boot   *Boot     `json:"boot,omitempty"`
	Start  *Start    `json:"start,omitempty"`
	Reply  *LLMReply `json:"reply,omitempty"`
	Freeze *Freeze   `json:"freeze,omitempty"`
	Kill   *Kill     `json:"kill,omitempty"`
	Stop   *Stop     `json:"stop,omitempty"`
}

// Boot is the first message on the control stream. It starts the interpreter, long before there is
// a script.
type Boot struct {
	// Runner is the Python source of the runner, Code its compiled form. An interpreter that can't
	// use Code compiles Runner. Their bytes follow the message, since parsing them in JSON takes
	// longer than compiling.
	Runner     []byte `json:"-"`
	Code       []byte `json:"-"`
	RunnerSize int    `json:"runner"`
	CodeSize   int    `json:"code,omitempty"`

	CA []byte `json:"ca,omitempty"` // PEM of the certificate that scripts shall trust besides the runtime's own roots
	// Compile asks for Ready.Code. Such a box takes no script, so no script can touch the code that
	// other boxes begin with.
	Compile bool `json:"compile,omitempty"`
}

// Ready is sent once the interpreter is up and waiting. It describes the runtime for manifests.
type Ready struct {
	Protocol int    `json:"protocol"` // 1
	Runner   string `json:"runner"`   // sha256 of the runner's source
	Python   string `json:"python"`   // such as 3.11.2
	Packages string `json:"packages"` // sha256 over the sorted name==version lines of the installed distributions
	// Installed are those lines, at most MaxInstalled of them.
	Installed []string `json:"installed,omitempty"`
	// Modules are the top-level modules that scripts can import, the standard library included.
	// Empty if the box can't tell. At most MaxModules.
	Modules []string `json:"modules,omitempty"`
	// Forked says that the box was forked from a template.
	Forked bool `json:"forked,omitempty"`
	// Compiled says that the interpreter had to compile the runner. Code answers Boot.Compile: the
	// compiled form after Python's magic number for it.
	Compiled bool   `json:"compiled,omitempty"`
	Code     []byte `json:"code,omitempty"`
}

// MaxCode is the most that Ready.Code has, and either part of Boot, in bytes.
const MaxCode = 1 << 20

// MaxInstalled is the most lines that Ready.Installed has.
const MaxInstalled = 2000

// MaxModules is the most names that Ready.Modules has.
const MaxModules = 5000

// Start hands over the one script this box will ever run.
type Start struct {
	Script   string            `json:"script"`
	Skill    *Skill            `json:"skill,omitempty"` // runs in place of Script
	Settings map[string]string `json:"settings"`
	Inputs   []byte            `json:"inputs,omitempty"` // JSON; absent means null
	Hosts    []Host            `json:"hosts"`
	// MaxOutput caps each of stdout and stderr in the guest, in bytes. The engine caps again.
	MaxOutput int64 `json:"max_output"`
	MaxResult int64 `json:"max_result"` // bytes of JSON
	// Files are what the script gets to read. Their content comes in a stream of its own.
	Files []File `json:"files,omitempty"`
	// Problem is airlock-init's word to the runner: why the script can't be run.
	Problem string `json:"problem,omitempty"`
}

// Skill is what runs with files of its own.
type Skill struct {
	Entrypoint string `json:"entrypoint"` // path of the file that runs
	Language   string `json:"language"`   // python, shell or node
	// Packed are its files and inputs; absent if Start.Files has them, as airlock-skill.
	Packed []byte `json:"packed,omitempty"`
}

// Host is a name (or "*.name" for true subdomains) that the box's resolver answers. The guest
// listens on its ports.
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

// Failed tells how the script failed, in the script's own terms. It is a claim; Exited tells
// whether it failed.
type Failed struct {
	Error     string `json:"error"`          // such as NameError: name 'foo' is not defined
	Traceback string `json:"traceback"`      // the script's own lines only
	Line      int    `json:"line,omitempty"` // in the script, 1-based; 0 if unknown
}

// Exited is the runner's wait status from its parent, airlock-init. Stdout and stderr streams end
// before it is sent.
type Exited struct {
	Code   int `json:"code"` // -1 if a signal ended it
	Signal int `json:"signal,omitempty"`
	// Bytes of output beyond Start.MaxOutput that were thrown away.
	DroppedStdout int64 `json:"dropped_stdout,omitempty"`
	DroppedStderr int64 `json:"dropped_stderr,omitempty"`
	// TmpFull and ShmFull say that the box's own /tmp or /dev/shm was full at the end.
	TmpFull bool `json:"tmp_full,omitempty"`
	ShmFull bool `json:"shm_full,omitempty"`
	// Artifacts says that the script left something, which comes in a stream of its own.
	Artifacts bool `json:"artifacts,omitempty"`
}

// Freeze stops (On) or continues every process of the box except airlock-init.
type Freeze struct {
	On bool `json:"on"`
}

// Frozen answers Freeze once /proc shows the requested state. The other state means failure.
type Frozen struct {
	On bool `json:"on"`
}

// Asked tells which line of the script asks for a host and port. It is a claim that helps a person
// decide; it grants nothing.
type Asked struct {
	Host string `json:"host"`
	Port int    `json:"port"` // 0 if the script did not say
	Line int    `json:"line"` // 1-based; 0 if it is not known
}

// Abort says that the sender's end of a connect stream broke, as opposed to ended. The receiver
// breaks its end too. yamux streams can only end, and a truncated download must not look complete.
type Abort struct {
	Stream uint32 `json:"stream"` // yamux stream id
}

// Kill ends the box at once.
type Kill struct{}

// Stop ends the script and all its processes. Exited follows, as after a kill, and then the
// artifacts.
type Stop struct{}
