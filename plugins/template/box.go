package template

// Guests is the argument that makes a guest serve a template's boxes from outside. It has a Link to
// each box's PID 1. Descriptor 4 is a link with a Box in each message. One Program may go the other
// way.
const Guests = "guests"

// Box comes with stdin, stdout and stderr, and the link to its PID 1.
type Box struct{}

// Program comes with the interpreters' code. The template loads it for later boxes.
type Program struct{}

// Event is what PID 1 of a box says. One field is set.
type Event struct {
	// Born comes first. With it come a link to the waiting interpreter, the box's /proc, and
	// sockets in the box: UDP and TCP for names, and one that reports new connections.
	Born *Born `json:"born"`

	Ended *uint32 `json:"ended"` // the wait status of the interpreter
	Gone  *Gone   `json:"gone"`  // no process is left but PID 1
	Done  *Done   `json:"done"`  // with an order; with the socket of a Listen
}

// Born is the interpreter that waits.
type Born struct {
	PID    int  `json:"pid"`
	Loaded bool `json:"loaded"` // it has the Program
}

// Gone is what the script left.
type Gone struct {
	Full []string `json:"full"` // file systems without room
	Out  bool     `json:"out"`  // there are artifacts
}

// Done answers an order.
type Done struct {
	Error string `json:"error"` // empty if it was carried out
}

// Order is a command for PID 1 of a box. One field is set. Each except Kill is answered by one
// Done.
type Order struct {
	Kill   *Kill    `json:"kill,omitempty"`
	Write  *Write   `json:"write,omitempty"`  // with a pipe for the content of each file
	Listen int      `json:"listen,omitempty"` // at this TCP port
	Run    []string `json:"run,omitempty"`    // a program, with its stdin and stdout
}

// Kill sends a signal to a process of the box, or for -1 to all others.
type Kill struct {
	PID    int `json:"pid"`
	Signal int `json:"signal"`
}

// Write makes directories and read-only files, with the directories that they are in.
type Write struct {
	Dirs  []string `json:"dirs"`
	Files []string `json:"files"`
}
