package cli

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// IsTerminal reports whether something that was opened is a terminal.
func IsTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	_, err := unix.IoctlGetTermios(int(file.Fd()), unix.TCGETS)
	return err == nil
}

// HideTyping switches the terminal's echo off until restore is called.
func HideTyping(in io.Reader) (restore func(), err error) {
	fd := int(in.(*os.File).Fd()) //nolint:forcetypeassert // IsTerminal says so
	was, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return nil, fmt.Errorf("read the passphrase: %w", err)
	}
	hidden := *was
	hidden.Lflag &^= unix.ECHO
	hidden.Lflag |= unix.ICANON | unix.ISIG
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, &hidden); err != nil {
		return nil, fmt.Errorf("read the passphrase: %w", err)
	}
	return func() { _ = unix.IoctlSetTermios(fd, unix.TCSETS, was) }, nil
}
