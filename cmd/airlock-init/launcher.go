package main

import (
	"syscall"

	"github.com/computclaw/airlock/plugins/template"
)

// launcher is what differs between boxes in how the interpreter is started.
type launcher struct {
	fork func(path string, argv []string, attributes *syscall.ProcAttr) (pid int, err error)
	env  []string
}

// newLauncher takes the interpreter that waits in a box from a template, and else starts a new one.
func newLauncher() (launcher, error) {
	waiting, err := template.FindInterpreter()
	if err != nil || waiting == nil {
		return launcher{fork: syscall.ForkExec}, err
	}
	return launcher{fork: func(_ string, _ []string, attributes *syscall.ProcAttr) (int, error) {
		return waiting.PID, waiting.Start(attributes)
	}}, nil
}
