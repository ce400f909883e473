package sandbox

import (
	"context"
	"sync"
)

// maxCompilations bounds the boxes that are opened to compile the runner for one image.
const maxCompilations = 3

// compiledRunners keeps the guest's runner as each image's interpreter compiles it, so that not
// every box has to.
//
// The code comes from a box that was opened only to compile and takes no script. It goes only to
// boxes of the same image under the same proof, so no script can reach another's box this way.
type compiledRunners struct {
	mu        sync.Mutex
	code      map[string][]byte // by image
	tries     map[string]int    // by image
	compiling bool
}

func newCompiledRunners() *compiledRunners {
	return &compiledRunners{code: map[string][]byte{}, tries: map[string]int{}}
}

// get returns an image's compiled runner; nil if there is none yet.
func (c *compiledRunners) get(image string) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.code[image]
}

// compileOnce compiles an image's runner, unless that is done, was tried maxCompilations times, or
// any image's is being compiled. A failure is no error: boxes then compile for themselves.
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
