package admin

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
)

const maxPassphrase = 8 << 10

// passphrase reads one from a file or a line of stdin. A terminal shows no typing, and asks twice
// for a new file.
func (o *operator) passphrase(file, prompt string, twice bool) (app.Secret, error) {
	if file != "" {
		text, err := config.ReadSecretFile(file)
		if err != nil {
			return app.Secret{}, fmt.Errorf("--passphrase-file: %w", err)
		}
		return app.NewSecret(text), nil
	}
	first, err := o.readLine(prompt)
	if err != nil {
		return app.Secret{}, err
	}
	if cli.IsTerminal(o.In) && twice {
		second, err := o.readLine("Confirm: ")
		if err != nil {
			return app.Secret{}, err
		}
		if !first.Equal(second) {
			return app.Secret{}, cli.UsageError{Message: "the two passphrases differ; nothing was done"}
		}
	}
	return first, nil
}

func (o *operator) readLine(prompt string) (app.Secret, error) {
	var line string
	var err error
	if cli.IsTerminal(o.In) {
		fmt.Fprint(o.Err, prompt)
		var typed []byte
		typed, err = term.ReadPassword(int(o.In.(*os.File).Fd())) //nolint:forcetypeassert // IsTerminal says so
		line = string(typed)
		fmt.Fprintln(o.Err)
	} else {
		line, err = bufio.NewReader(io.LimitReader(o.In, 2*maxPassphrase)).ReadString('\n')
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return app.Secret{}, fmt.Errorf("read the passphrase: %w", err)
	}
	if line = strings.TrimRight(line, "\r\n"); line == "" || len(line) > maxPassphrase {
		return app.Secret{}, cli.UsageError{Message: "there is no passphrase: type it at the prompt, write it to standard " +
			"input, or name a file with --passphrase-file"}
	}
	return app.NewSecret(line), nil
}
