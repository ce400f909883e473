package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
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

// At a terminal the passphrase of a new file is asked for twice, and of a file that is opened once. What is typed is not shown, and the terminal is afterwards as it was.
func TestPassphraseAtATerminal(t *testing.T) {
	for name, tt := range map[string]struct {
		types []string
		twice bool
		want  string
		fails string
		asked string
	}{
		"of a new file":      {[]string{movingWords, movingWords}, true, movingWords, "", "Words: \nThe same again: \n"},
		"mistyped":           {[]string{movingWords, "something else"}, true, "", "the two passphrases differ", "Words: \nThe same again: \n"},
		"of a file to open":  {[]string{movingWords}, false, movingWords, "", "Words: \n"},
		"nothing":            {[]string{""}, false, "", "there is no passphrase", "Words: \n"},
		"nothing for a file": {[]string{""}, true, "", "there is no passphrase", "Words: \n"},
	} {
		t.Run(name, func(t *testing.T) {
			person, program := openTerminal(t)
			asked := &prompts{seen: make(chan struct{}, 10)}
			o := &operator{console: console{in: program, err: asked}}
			go func() {
				for _, line := range tt.types {
					<-asked.seen
					for deadline := time.Now().Add(20 * time.Second); echoes(person) && time.Now().Before(deadline); time.Sleep(time.Millisecond) { // until nothing is shown
					}
					_, _ = person.WriteString(line + "\n")
				}
			}()
			got, err := o.passphrase("", "Words: ", tt.twice)
			if got.Reveal() != tt.want || (err == nil) != (tt.fails == "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("%q, %v", got.Reveal(), err)
			}
			if asked.String() != tt.asked {
				t.Errorf("it asked %q", asked.String())
			}
			if !echoes(program) {
				t.Error("the terminal does not show any more what is typed")
			}
			fd := int(person.Fd()) // asked for again, it would block again
			must(t, unix.SetNonblock(fd, true))
			shown := make([]byte, 1000)
			if n, _ := unix.Read(fd, shown); n > 0 && strings.Contains(string(shown[:n]), movingWords) {
				t.Errorf("the terminal shows %q", shown[:n])
			}
		})
	}
}
