package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/computclaw/airlock/plugins/wire"
)

// fileDirs returns the directories of files and artifacts, and their variables.
func fileDirs(tmp string) (dirs, env []string) {
	return []string{wire.FilesDir, wire.OutDir}, []string{"AIRLOCK_FILES=" + filepath.Join(tmp, wire.FilesDir),
		"AIRLOCK_OUT=" + filepath.Join(tmp, wire.OutDir)}
}

// receive requests files and has them written. It returns any failure, for the agent.
func (g *guest) receive(files []wire.File) string {
	stream, err := g.mux.OpenStream()
	if err != nil {
		return filesProblem(err)
	}
	defer stream.Close()
	if err := wire.Write(stream, wire.Header{Kind: wire.Files}); err != nil {
		return filesProblem(err)
	}
	return g.box.receive(stream, files)
}

// receiveFiles writes the content of files, read-only.
func receiveFiles(from io.Reader, files []wire.File) error {
	for _, f := range files {
		if err := receiveFile(from, f); err != nil {
			return err
		}
	}
	return os.Chmod(wire.FilesDir, 0o500)
}

func receiveFile(from io.Reader, f wire.File) error {
	if f.Name != filepath.Base(f.Name) || f.Name == "." || f.Name == ".." {
		return fmt.Errorf("%q is not the name of a file", f.Name)
	}
	to, err := os.OpenFile(filepath.Join(wire.FilesDir, f.Name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o400)
	if err != nil {
		return err
	}
	_, err = io.CopyBuffer(struct{ io.Writer }{to}, io.LimitReader(from, f.Size), make([]byte, 32<<10))
	if err == nil {
		var info os.FileInfo
		if info, err = to.Stat(); err == nil && info.Size() != f.Size {
			err = io.ErrUnexpectedEOF
		}
	}
	return errors.Join(err, to.Close())
}

func filesProblem(err error) string {
	if err == nil {
		return ""
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "The files could not be read from Airlock's storage. The script did not run."
	}
	return "The files do not fit into the sandbox: " + err.Error() + ". The script did not run; give it less, " +
		"or ask the operator to raise AIRLOCK_LIMIT_TMP."
}
