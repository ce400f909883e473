package main

import (
	"errors"
	"io"
	"os"

	"github.com/computclaw/airlock/plugins/template"
	"github.com/computclaw/airlock/plugins/wire"
)

// This program reads and writes a forked box's files inside it, as its user. No script runs
// meanwhile.
const (
	receiveMode = "receive-files" // which stdin brings, after a Start that lists them; stdout is a Start too
	sendMode    = "send-artifacts"
)

func runHelper(mode string, stdin io.Reader, stdout io.Writer) error {
	if mode == sendMode {
		if out := openOutDir(wire.MaxEntries); out != nil {
			out.send(stdout)
		}
		return nil
	}
	order, err := wire.ReadMessage(stdin)
	if err != nil || order.Start == nil {
		return err
	}
	problem := filesProblem(receiveFiles(stdin, order.Start.Files))
	return wire.Write(stdout, wire.Message{Start: &wire.Start{Problem: problem}})
}

// help starts the program in the box.
func (b *forked) help(mode string) (to io.WriteCloser, from io.ReadCloser, err error) {
	stdin, to, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer stdin.Close()
	from, stdout, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(err, to.Close())
	}
	defer stdout.Close()
	if _, err = b.ask(template.Order{Run: []string{mode}}, stdin, stdout); err != nil {
		return nil, nil, errors.Join(err, to.Close(), from.Close())
	}
	return to, from, nil
}

func (b *forked) receive(content io.Reader, files []wire.File) string {
	to, from, err := b.help(receiveMode)
	if err != nil {
		return filesProblem(err)
	}
	defer from.Close()
	go func() {
		defer to.Close()
		if wire.Write(to, wire.Message{Start: &wire.Start{Files: files}}) == nil {
			_, _ = io.Copy(to, content)
		}
	}()
	answer, err := wire.ReadMessage(from)
	if err != nil || answer.Start == nil {
		return filesProblem(io.ErrUnexpectedEOF)
	}
	return answer.Start.Problem
}

func (b *forked) artifacts() (bool, func(io.Writer)) {
	return b.last.Out, func(stream io.Writer) {
		to, from, err := b.help(sendMode)
		if err != nil {
			return
		}
		to.Close()
		defer from.Close()
		_, _ = io.Copy(stream, from)
	}
}
