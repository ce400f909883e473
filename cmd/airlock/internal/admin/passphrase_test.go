package admin

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/terminaltest"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

func echoes(terminal *os.File) bool {
	state, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	return err == nil && state.Lflag&unix.ECHO != 0
}

// prompts tells of each question.
type prompts struct {
	bytes.Buffer
	seen chan struct{}
}

func (p *prompts) Write(text []byte) (int, error) {
	if bytes.HasSuffix(text, []byte(": ")) {
		p.seen <- struct{}{}
	}
	return p.Buffer.Write(text)
}

// A terminal asks twice for a new file's passphrase, and once to open a file.
// It hides typing, and is restored afterwards.
func TestPassphraseAtATerminal(t *testing.T) {
	for name, tt := range map[string]struct {
		types []string
		twice bool
		want  string
		fails string
		asked string
	}{
		"of a new file": {[]string{"six words nobody else will guess", "six words nobody else will guess"}, true,
			"six words nobody else will guess", "", "Words: \nConfirm: \n"},
		"mistyped": {[]string{"six words nobody else will guess", "something else"}, true, "",
			"the two passphrases differ", "Words: \nConfirm: \n"},
		"of a file to open": {[]string{"six words nobody else will guess"}, false, "six words nobody else will guess", "",
			"Words: \n"},
		"nothing":            {[]string{""}, false, "", "there is no passphrase", "Words: \n"},
		"nothing for a file": {[]string{""}, true, "", "there is no passphrase", "Words: \n"},
	} {
		t.Run(name, func(t *testing.T) {
			person, program := terminaltest.Open(t)
			asked := &prompts{seen: make(chan struct{}, 10)}
			o := &operator{Console: cli.Console{In: program, Err: asked}}
			go func() {
				for _, line := range tt.types {
					<-asked.seen
					// until nothing is shown
					for deadline := time.Now().Add(20 * time.Second); echoes(person) &&
						time.Now().Before(deadline); time.Sleep(time.Millisecond) {
					}
					_, _ = person.WriteString(line + "\n")
				}
			}()
			got, err := o.passphrase("", "Words: ", tt.twice)
			if got.Reveal() != tt.want || (err == nil) != (tt.fails == "") ||
				err != nil && !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("%q, %v", got.Reveal(), err)
			}
			if asked.String() != tt.asked {
				t.Errorf("it asked %q", asked.String())
			}
			if !echoes(program) {
				t.Error("the terminal does not show any more what is typed")
			}
			fd := int(person.Fd()) // asked for again, it would block again
			if err := unix.SetNonblock(fd, true); err != nil {
				t.Fatal(err)
			}
			shown := make([]byte, 1000)
			if n, _ := unix.Read(fd, shown); n > 0 && strings.Contains(string(shown[:n]), "six words nobody else will guess") {
				t.Errorf("the terminal shows %q", shown[:n])
			}
		})
	}
}
