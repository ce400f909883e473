package template

import (
	"errors"
	"syscall"

	"github.com/computclaw/airlock/plugins/fdlink"
)

// Interpreter is one that waits in a box for what it starts with.
type Interpreter struct {
	Link     *fdlink.Link
	Compiles bool // the code of its program is asked for, if it was compiled here
}

// order is what an interpreter that waits gets, with its first descriptors.
type order struct {
	Dir string   `json:"dir"`
	Env []string `json:"env"`

	Compiles bool `json:"compiles"`
}

// Start gives the interpreter a new process's attributes: working directory, environment and files,
// in its own session. Call it once.
func (i Interpreter) Start(attributes *syscall.ProcAttr) error {
	var fds []int
	for _, fd := range attributes.Files {
		fds = append(fds, int(fd))
	}
	err := i.Link.SendFDs(order{Dir: attributes.Dir, Env: attributes.Env, Compiles: i.Compiles}, fds...)
	return errors.Join(err, i.Link.Close())
}
