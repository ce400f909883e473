package guest

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/computclaw/airlock/plugins/wire"
)

const (
	// stopWithin bounds the wait for the end of a stopped script, before its files are collected.
	stopWithin = 3 * time.Second

	// artifactsWithin bounds the collection after the script's end, and leftWithin after a stop.
	artifactsWithin = 2 * time.Minute
	leftWithin      = 20 * time.Second
)

// InputFile is a file that the script gets.
type InputFile struct {
	Name string
	Size int64 // bytes
	Open func() (io.ReadCloser, error)
}

// Artifact is something that a script left. The name is the script's: it may be any bytes.
type Artifact struct {
	Name    string
	Size    int64 // bytes; with wire.ProblemMany how many more entries there are
	Problem wire.ArtifactProblem
}

type artifacts struct {
	ended  chan struct{}
	opened atomic.Bool
	whole  atomic.Bool // the guest said that none are left
}

// wireFiles returns the files' names and sizes for the Start message.
func wireFiles(files []InputFile) []wire.File {
	var list []wire.File
	for _, f := range files {
		list = append(list, wire.File{Name: f.Name, Size: f.Size})
	}
	return list
}

// sendFiles writes the content of the job's files. An unreadable content ends the stream early,
// which the box reports as the script's failure.
func (r *run) sendFiles(stream io.WriteCloser) error {
	if r.filesSent.Swap(true) || len(r.job.Files) == 0 {
		return violation("files were asked for that there are not")
	}
	defer stream.Close()
	buf := make([]byte, wire.Piece)
	for _, f := range r.job.Files {
		content, err := f.Open()
		if err != nil {
			return nil
		}
		_, err = io.CopyBuffer(struct{ io.Writer }{stream}, struct{ io.Reader }{content}, buf)
		content.Close()
		if err != nil {
			return nil
		}
	}
	return nil
}

// collect takes the files that the script left. Failures here don't change the verdict; the
// remaining files are given up.
func (r *run) collect(stream io.ReadCloser) error {
	a := &r.artifacts
	if a.opened.Swap(true) || r.handler.Artifact == nil {
		return violation("artifacts out of turn")
	}
	select {
	case <-r.exited: // it is on its way on another stream
	case <-r.session.done:
		return nil
	}
	defer close(a.ended)
	defer stream.Close()
	left := int64(wire.MaxFileBytes)
	for range wire.MaxFiles + wire.MaxProblems + 2 {
		head, err := wire.ReadArtifact(stream)
		if err == nil && head.Problem == wire.LastArtifact {
			a.whole.Store(true)
			return nil
		}
		if err != nil || !head.Problem.Valid() || head.Size < 0 {
			return nil
		}
		found := Artifact{Name: string(head.Name), Size: head.Size, Problem: head.Problem}
		if head.Problem != "" {
			if r.handler.Artifact(found, nil) != nil {
				return nil
			}
			continue
		}
		if left -= head.Size; left < 0 {
			return nil
		}
		content := &exactly{r: stream, left: head.Size}
		if r.handler.Artifact(found, content) != nil {
			return nil
		}
		if _, err := io.Copy(io.Discard, content); err != nil {
			return nil
		}
	}
	return nil
}

// exactly reads as many bytes as were announced; fewer are an error.
type exactly struct {
	r    io.Reader
	left int64
}

func (e *exactly) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n, err := e.r.Read(p[:min(int64(len(p)), e.left)])
	if e.left -= int64(n); errors.Is(err, io.EOF) && e.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// awaitArtifacts waits for what the script left, if the guest has said that there is something.
func (r *run) awaitArtifacts(limit time.Duration, stopped <-chan struct{}) {
	r.mu.Lock()
	announced := r.outcome.Exited.Artifacts
	r.mu.Unlock()
	if !announced || r.handler.Artifact == nil {
		return
	}
	select {
	case <-r.artifacts.ended:
	case <-stopped:
	case <-r.session.done:
	case <-time.After(limit):
	}
}

// stop ends the script of a stopped execution and collects its files. A box that doesn't obey is
// left to its backend.
func (r *run) stop() {
	if r.handler.Artifact == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), stopWithin)
	defer cancel()
	if r.session.post(ctx, wire.Message{Stop: &wire.Stop{}}) != nil {
		return
	}
	select {
	case <-r.exited:
		r.awaitArtifacts(leftWithin, nil)
	case <-ctx.Done():
	case <-r.session.done:
	}
}
