package template

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// handoffFD leads from PID 1 of a box that was forked from a template to the interpreter that waits
// beside it. The first message says which process that is.
const handoffFD = 4

// Interpreter is one that waits.
type Interpreter struct {
	PID    int
	socket *os.File
}

// FindInterpreter returns the interpreter that waits beside this process, or nil in a box that was
// opened afresh.
func FindInterpreter() (*Interpreter, error) {
	kind, err := unix.GetsockoptInt(handoffFD, unix.SOL_SOCKET, unix.SO_TYPE)
	if err != nil || kind != unix.SOCK_SEQPACKET {
		return nil, nil
	}
	unix.CloseOnExec(handoffFD)
	socket := os.NewFile(handoffFD, "handoff")
	text := make([]byte, 16)
	n, err := socket.Read(text)
	if err != nil {
		return nil, fmt.Errorf("find the interpreter: %w", err)
	}
	pid, err := strconv.Atoi(string(text[:n]))
	if err != nil || pid < 2 {
		return nil, errors.New("find the interpreter: no process id")
	}
	return &Interpreter{PID: pid, socket: socket}, nil
}

// order is what an interpreter that waits gets, with its first descriptors.
type order struct {
	Dir string   `json:"dir"`
	Env []string `json:"env"`
}

// Start gives the interpreter what a new process would get from attributes: working directory,
// environment and files, in a session of its own. It can be called once.
func (i *Interpreter) Start(attributes *syscall.ProcAttr) error {
	defer i.socket.Close()
	data, err := json.Marshal(order{Dir: attributes.Dir, Env: attributes.Env})
	if err != nil {
		return err
	}
	var fds []int
	for _, fd := range attributes.Files {
		fds = append(fds, int(fd))
	}
	if err := unix.Sendmsg(handoffFD, data, unix.UnixRights(fds...), nil, 0); err != nil {
		return fmt.Errorf("start the interpreter: %w", err)
	}
	return nil
}

// Dismiss ends the interpreter and waits for it.
func (i *Interpreter) Dismiss() {
	i.socket.Close()
	_, _ = unix.Wait4(i.PID, nil, 0, nil)
}
