package search

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/unpack"
)

const (
	maxUnpacked = 256 << 20 // bytes that a Search unpacks of one file, and files times that in all
	files       = 4
	maxMembers  = 20_000 // members of archives that it opens in all
	maxDepth    = 4      // archives within archives
)

// Search looks through the files of one execution. It is for one goroutine.
type Search struct {
	red      *redact.Redactor
	most     int64 // bytes that may be unpacked of one file
	unpacked int64 // bytes, of all files
	ofFile   int64 // of the file that is being looked through
	members  int
	hits     redact.Hits // of the file that is being looked through
}

// New returns a Search for the values of red.
func New(red *redact.Redactor) *Search { return &Search{red: red, most: maxUnpacked} }

// Result is what is known of a file.
type Result struct {
	Hits     redact.Hits // values that it holds
	Unsearch string      // why it could not be searched whole, as the end of a sentence; "" if it was
}

// errUnsearchable is why a file can't be searched whole.
type errUnsearchable struct{ reason string }

func (e errUnsearchable) Error() string { return e.reason }

// File looks through a file. Errors: those of r.
func (s *Search) File(r io.Reader) (Result, error) {
	s.hits, s.ofFile = nil, 0
	source := &source{r: r}
	err := s.content(source, 0)
	if source.err != nil {
		return Result{}, source.err
	}
	var unsearchable errUnsearchable
	if errors.As(err, &unsearchable) {
		return Result{Hits: s.hits, Unsearch: unsearchable.reason}, nil
	}
	return Result{Hits: s.hits}, err
}

// source remembers the error of the file itself: others are of what the file holds.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

const kindZip = "a zip file"

// content looks through one content: its bytes, and what it holds if it is an archive.
func (s *Search) content(r io.Reader, depth int) error {
	found := s.red.KnownStream()
	end := &tail{}
	all := io.MultiWriter(found, end)
	buffered := bufio.NewReaderSize(io.TeeReader(&counted{r, s, depth}, all), 64<<10)
	kind, err := s.inside(buffered, depth)
	if err == nil {
		rest := &remainder{}
		if _, err = io.Copy(rest, buffered); err == nil {
			err = refuseHidden(kind, end, rest)
		}
	} else if _, rest := io.Copy(io.Discard, buffered); rest != nil && !errors.As(err, new(errUnsearchable)) {
		err = rest
	}
	s.end(found)
	return err
}

// end counts what was found. What ends like the beginning of a value is none.
func (s *Search) end(found *redact.Stream) {
	_, _ = found.Write([]byte("\xff\xff\xff\xff"))
	_ = found.Close()
	s.hits = s.hits.Plus(found.Hits())
}

// inside looks through what an archive holds, and returns what kind of archive it is. It is "" if
// it is none.
func (s *Search) inside(r *bufio.Reader, depth int) (kind string, err error) {
	head, _ := r.Peek(len(unpack.Zip))
	open := s.gzip
	switch text := string(head); {
	case strings.HasPrefix(text, unpack.Gzip):
		kind = "a gzip file"
	case text == unpack.Zip:
		open, kind = s.zip, kindZip
	default:
		return "", nil
	}
	if depth >= maxDepth {
		return kind, errUnsearchable{fmt.Sprintf("it has archives nested more than %d deep", maxDepth)}
	}
	err = open(r, depth+1)
	if err == nil || errors.As(err, new(errUnsearchable)) {
		return kind, err
	}
	return kind, errUnsearchable{"it holds " + kind + " that is damaged, encrypted or written in a way that is not known"}
}

func (s *Search) gzip(r *bufio.Reader, depth int) error { return s.member(unpack.NewStreams(r), depth) }

func (s *Search) zip(r *bufio.Reader, depth int) error {
	members := unpack.NewMembers(r)
	for {
		member, err := members.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.member(member, depth); err != nil {
			return err
		}
	}
}

// member looks through what an archive holds, to its end.
func (s *Search) member(r io.Reader, depth int) error {
	if s.members++; s.members > maxMembers {
		return errUnsearchable{fmt.Sprintf("the archives among the files have more than %d members", maxMembers)}
	}
	return s.content(r, depth)
}

// count takes bytes from the budget.
func (s *Search) count(n int64) error {
	s.ofFile, s.unpacked = s.ofFile+n, s.unpacked+n
	switch {
	case s.ofFile > s.most:
		return errUnsearchable{fmt.Sprintf("it unpacks to more than %d MiB", s.most>>20)}
	case s.unpacked > files*s.most:
		return errUnsearchable{fmt.Sprintf("with the others it unpacks to more than %d MiB", files*s.most>>20)}
	}
	return nil
}

// counted is content, which counts if it was unpacked.
type counted struct {
	io.Reader
	search *Search
	depth  int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.depth > 0 {
		if full := c.search.count(int64(n)); full != nil {
			return n, full
		}
	}
	return n, err
}
