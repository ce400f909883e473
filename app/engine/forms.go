package engine

import (
	"context"
	"sync"
)

// maxCompilations is how many boxes are opened for one image's form of the runner: an interpreter that takes none back isn't asked for ever.
const maxCompilations = 3

// compiledForms keeps the runner as each image's interpreter compiles it, so that not every box has to. A form comes from a box that was opened for
// nothing else and that takes no script, and it goes to boxes of the same image under the same proof alone: nothing that a script does in its box reaches another one this way.
type compiledForms struct {
	mu     sync.Mutex
	code   map[string][]byte // by image
	tries  map[string]int
	taking bool
}

func newCompiledForms() *compiledForms {
	return &compiledForms{code: map[string][]byte{}, tries: map[string]int{}}
}

// of returns an image's form; nil if there is none yet.
func (f *compiledForms) of(image string) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.code[image]
}

// learn takes an image's form, unless there is one or one is being taken. Without it boxes compile for themselves, so it is no error if there is none.
func (f *compiledForms) learn(ctx context.Context, image string, compile func(context.Context) ([]byte, error)) {
	f.mu.Lock()
	if f.taking || f.code[image] != nil || f.tries[image] == maxCompilations {
		f.mu.Unlock()
		return
	}
	f.taking = true
	f.tries[image]++
	f.mu.Unlock()
	code, err := compile(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.taking = false
	if err == nil {
		f.code[image] = code
	}
}
