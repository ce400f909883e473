package main

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/wire"
)

// outDir is the directory of a script's artifacts. None of its processes is alive, so nothing
// changes. No link is followed, wherever the script put one.
type outDir struct {
	dir   *os.File
	names []string // sorted
	more  int      // entries that are not looked at
}

// openOutDir returns up to most entries, or nil for none.
func openOutDir(most int) *outDir {
	fd := unix.AT_FDCWD
	for _, name := range []string{filepath.Dir(wire.OutDir), filepath.Base(wire.OutDir)} {
		next, err := unix.Openat(fd, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if fd != unix.AT_FDCWD {
			unix.Close(fd)
		}
		if err != nil {
			return nil
		}
		fd = next
	}
	out := &outDir{dir: os.NewFile(uintptr(fd), wire.OutDir)}
	for {
		names, err := out.dir.Readdirnames(1000)
		looked := min(len(names), most-len(out.names))
		out.names, out.more = append(out.names, names[:looked]...), out.more+len(names)-looked
		if err != nil {
			break
		}
	}
	if len(out.names) == 0 {
		out.close()
		return nil
	}
	slices.Sort(out.names)
	return out
}

func (o *outDir) close() { o.dir.Close() }

// send sends each entry, with regular files' content up to the limits.
func (o *outDir) send(stream io.Writer) {
	defer o.close()
	left, files, problems, more := int64(wire.MaxFileBytes), 0, 0, o.more
	for _, name := range o.names {
		file, a := o.open(name)
		switch {
		case a.Problem == "" && files == wire.MaxFiles, a.Problem != "" && problems == wire.MaxProblems:
			more++
			if file != nil {
				file.Close()
			}
			continue
		case a.Problem == "" && a.Size > left:
			file.Close()
			file, a.Problem = nil, wire.ProblemLarge
		}
		if a.Problem != "" {
			problems++
		} else {
			files, left = files+1, left-a.Size
		}
		if err := sendArtifact(stream, file, a); err != nil {
			return
		}
	}
	if more > 0 {
		_ = wire.Write(stream, wire.Artifact{Size: int64(more), Problem: wire.ProblemMany})
	}
	_ = wire.Write(stream, wire.Artifact{Problem: wire.LastArtifact})
}

func sendArtifact(stream io.Writer, file *os.File, a wire.Artifact) error {
	if err := wire.Write(stream, a); err != nil || file == nil {
		return err
	}
	defer file.Close()
	n, err := io.CopyBuffer(stream, struct{ io.Reader }{io.LimitReader(file, a.Size)}, make([]byte, 32<<10))
	return cmp.Or(err, short(n, a.Size))
}

func short(n, want int64) error {
	if n < want {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// open opens a regular file, without following links or waiting for a pipe's other end.
func (o *outDir) open(name string) (*os.File, wire.Artifact) {
	a := wire.Artifact{Name: []byte(name)}
	var info unix.Stat_t
	dir := int(o.dir.Fd())
	if err := unix.Fstatat(dir, name, &info, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		a.Problem = wire.ProblemUnreadable
		return nil, a
	}
	if a.Problem = problemOf(info); a.Problem != "" {
		return nil, a
	}
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.EACCES) && unix.Fchmodat(dir, name, 0o400, 0) == nil { // it is ours as much as the script's
		fd, err = unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	}
	if err == nil {
		if err = unix.Fstat(fd, &info); err != nil || problemOf(info) != "" {
			unix.Close(fd)
		}
	}
	if err != nil || problemOf(info) != "" {
		a.Problem = wire.ProblemUnreadable
		return nil, a
	}
	a.Size = info.Size
	return os.NewFile(uintptr(fd), name), a
}

func problemOf(info unix.Stat_t) wire.ArtifactProblem {
	switch info.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return ""
	case unix.S_IFDIR:
		return wire.ProblemDirectory
	case unix.S_IFLNK:
		return wire.ProblemLink
	}
	return wire.ProblemSpecial
}
