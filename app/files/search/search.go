package search

import (
	"archive/tar"
	"bufio"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"strconv"
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

// Temp holds content that has to be read at random.
type Temp interface {
	io.Writer
	Finish() error
	Size() int64
	At() io.ReaderAt
	Close()
}

// Search looks through the files of one execution. It is for one goroutine.
type Search struct {
	red      *redact.Redactor
	most     int64 // bytes that may be unpacked of one file
	temp     func() (Temp, error)
	unpacked int64 // bytes, of all files
	ofFile   int64 // of the file that is being looked through
	members  int
	hits     redact.Hits // of the file that is being looked through
}

// New returns a Search for the values of red. temp makes room for content that has to be read at
// random.
func New(red *redact.Redactor, temp func() (Temp, error)) *Search {
	return &Search{red: red, temp: temp, most: maxUnpacked}
}

// Result is what is known of a file.
type Result struct {
	Hits     redact.Hits // values that it holds
	Unsearch string      // why it could not be searched whole, as the end of a sentence; "" if it was
}

// errUnsearchable is why a file can't be searched whole.
type errUnsearchable struct{ reason string }

func (e errUnsearchable) Error() string { return e.reason }

// File looks through a file. Errors: those of r and of temp.
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

const (
	sqliteMagic = "SQLite format 3\x00"
	emptyBzip2  = "\x17\x72\x45\x38\x50\x90" // a stream without a block, which another may follow
	kindZip     = "a zip file"
)

// content looks through one content: its bytes, and what it holds if it is an archive.
func (s *Search) content(r io.Reader, depth int) error {
	found := s.red.Known()
	narrowed := s.red.Known()
	end := &tail{}
	all := io.MultiWriter(found, &narrow{w: narrowed}, end)
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
	s.end(narrowed)
	return err
}

// end counts what was found. What ends like the beginning of a value is none.
func (s *Search) end(found *redact.Stream) {
	_, _ = found.Write([]byte("\xff\xff\xff\xff"))
	_ = found.Close()
	s.hits = s.hits.Plus(found.Hits())
}

// inside looks through what an archive holds, and returns what kind of archive it is; "" if it is none.
func (s *Search) inside(r *bufio.Reader, depth int) (kind string, err error) {
	head, _ := r.Peek(512) // a shorter one is no tar file
	text := string(head)
	open, kind := s.opener(text)
	switch {
	case open == nil:
		return "", nil
	case depth >= maxDepth:
		return kind, errUnsearchable{fmt.Sprintf("it has archives nested more than %d deep", maxDepth)}
	}
	err = open(r, depth+1)
	if err == nil || errors.As(err, new(errUnsearchable)) {
		return kind, err
	}
	return kind, errUnsearchable{"it holds " + kind + " that is damaged, encrypted or written in a way that is not known"}
}

// opener returns what looks through an archive that begins with text; nil if that begins none.
func (s *Search) opener(text string) (open func(r *bufio.Reader, depth int) error, kind string) {
	switch {
	case strings.HasPrefix(text, unpack.Gzip):
		return func(r *bufio.Reader, depth int) error { return s.member(unpack.NewStreams(r), depth) }, "a gzip file"
	case strings.HasPrefix(text, "BZh") && len(text) > 10 && (text[4:10] == "1AY&SY" || text[4:10] == emptyBzip2):
		return s.bzip2, "a bzip2 file"
	case strings.HasPrefix(text, unpack.Zip):
		return s.zip, kindZip
	case isTar(text):
		return s.tar, "a tar file"
	case strings.HasPrefix(text, sqliteMagic):
		return s.database, "an SQLite file"
	}
	return nil, ""
}

// bzip2Cost is what opening a bzip2 file takes from the budget, in bytes: its reader makes room for a block.
const bzip2Cost = 128 << 10

func (s *Search) bzip2(r *bufio.Reader, depth int) error {
	if err := s.count(bzip2Cost); err != nil {
		return err
	}
	return s.member(bzip2.NewReader(r), depth)
}

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

func (s *Search) tar(r *bufio.Reader, depth int) error {
	members := tar.NewReader(r)
	for {
		_, err := members.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.member(members, depth); err != nil {
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

// isTar reports whether a text is the head of a tar file, also of those from before POSIX, which only their
// checksum tells.
func isTar(head string) bool {
	if len(head) < 512 {
		return false
	}
	if head[257:262] == "ustar" {
		return true
	}
	sum, err := strconv.ParseInt(strings.Trim(head[148:156], " \x00"), 8, 64)
	if err != nil {
		return false
	}
	unsigned, signed := int64(8*' '), int64(8*' ')
	for _, b := range []byte(head[:148] + head[156:512]) {
		unsigned, signed = unsigned+int64(b), signed+int64(int8(b))
	}
	return sum == unsigned || sum == signed
}

// database looks through the values of an SQLite file: those that lie on several pages, and the compressed
// data in all.
func (s *Search) database(r *bufio.Reader, depth int) error {
	file, err := s.temp()
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := io.Copy(file, r); err != nil {
		return err
	}
	if err := file.Finish(); err != nil {
		return err
	}
	long, err := s.temp()
	if err != nil {
		return err
	}
	defer long.Close()
	found := s.red.Known()
	err = eachLongValue(file.At(), file.Size(), io.MultiWriter(found, long), s.count)
	s.end(found)
	if err != nil {
		return err
	}
	if err := long.Finish(); err != nil {
		return err
	}
	if err := s.embedded(long.At(), long.Size(), depth); err != nil {
		return err
	}
	return s.embedded(file.At(), file.Size(), depth)
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
