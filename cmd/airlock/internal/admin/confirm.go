package admin

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

// asks reports whether somebody at a terminal is to be asked before a grant.
func (o *operator) asks(yes bool) bool { return !yes && cli.IsTerminal(o.In) }

// confirm asks a question, and returns refused unless the answer is yes.
func (o *operator) confirm(question string, refused *app.Error) error {
	fmt.Fprint(o.Err, question+" [y/N] ")
	answer, _ := bufio.NewReader(io.LimitReader(o.In, 100)).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return refused
}
