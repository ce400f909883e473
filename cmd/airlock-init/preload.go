package main

import (
	"bytes"
	"errors"
	"sync"

	"github.com/computclaw/airlock/plugins/fdlink"
	"github.com/computclaw/airlock/plugins/template"
)

// preload gives a template the runner of its first box, before any script. Later boxes have that
// runner loaded.
type preload struct {
	template *fdlink.Link

	mu     sync.Mutex
	runner []byte // nil if it has none
}

// offer gives the template a runner if it has none. It fails for a box loaded with another one.
func (p *preload) offer(loaded bool, source, code []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case loaded && !bytes.Equal(source, p.runner):
		return errors.New("the template has another runner than this box shall have")
	case p.runner != nil:
		return nil
	}
	program, err := programOf(source, code)
	if err != nil {
		return err
	}
	defer program.Close()
	p.runner = source
	return p.template.Send(template.Program{}, program)
}
