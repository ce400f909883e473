package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/hashicorp/yamux"

	"github.com/computclaw/airlock/plugins/wire"
)

// makeFileDirs makes the directories of files and artifacts, and returns the variables that lead to
// them. It is done before the interpreter starts.
func makeFileDirs() ([]string, error) {
	tmp, err := os.Getwd() // boxes begin in their own writable directory
	if err != nil {
		return nil, err
	}
	var env []string
	for name, dir := range map[string]string{"AIRLOCK_FILES": wire.FilesDir, "AIRLOCK_OUT": wire.OutDir} {
		path := filepath.Join(tmp, dir)
		if err := os.MkdirAll(path, 0o700); err != nil {
			return nil, fmt.Errorf("directories of files: %w", err)
		}
		env = append(env, name+"="+path)
	}
	return env, nil
}

// receiveFiles asks for the content of files and writes it, read-only. An error is told to the runner.
func receiveFiles(mux *yamux.Session, files []wire.File) error {
	stream, err := mux.OpenStream()
	if err != nil {
		return err
	}
	defer stream.Close()
	if err := wire.Write(stream, wire.Header{Kind: wire.Files}); err != nil {
		return err
	}
	for _, f := range files {
		if err := receiveFile(stream, f); err != nil {
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

// filesProblem says to a script's agent why it did not get its files.
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
