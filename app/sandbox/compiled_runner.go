package sandbox

import (
	"context"
	"sync"
)

// maxCompilations bounds the compiling boxes per image.
const maxCompilations = 3

// compiledRunners caches the guest's runner as compiled by each image's interpreter.
//
// The code comes from a box that takes no script, and goes only to boxes of the same image and
// proof. So no script can reach another's box this way.
type compiledRunners struct {
	mu        sync.Mutex
	code      map[string][]byte // by image
	tries     map[string]int    // by image
	compiling bool
}

func newCompiledRunners() *compiledRunners {
	return &compiledRunners{code: map[string][]byte{}, tries: map[string]int{}}
}

// get returns an image's compiled runner, or nil.
func (c *compiledRunners) get(image string) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.code[image]
}

// compileOnce compiles an image's runner unless done, tried maxCompilations times, or any
// compilation is under way. On failure boxes compile for themselves.
func (c *compiledRunners) compileOnce(
	ctx context.Context, image string, compile func(context.Context) ([]byte, error),
) {
	c.mu.Lock()
	if c.compiling || c.code[image] != nil || c.tries[image] == maxCompilations {
		c.mu.Unlock()
		return
	}
	c.compiling = true
	c.tries[image]++
	c.mu.Unlock()
	code, err := compile(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.compiling = false
	if err == nil {
		c.code[image] = code
	}
}
