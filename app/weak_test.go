package app

import "testing"

func TestWeakValue(t *testing.T) {
	cases := map[string]bool{
		"": false, "1234": true, "hunter2": true, "  abc  ": true, "password": true, "Password123!": true, "changeme": true,
		"aaaaaaaaaaaaaaaaaaaa": true, "12345678": true,
		"zebracow": true, "kP9s-Zx8": false, "8f14e45fceea167a5a36dedd4bea2543": false, "correct horse battery staple": false,
		"20261120123456": false, "Tr0ub4dor&3": false,
	}
	for value, weak := range cases {
		if got := WeakValue(NewSecret(value)); (got != "") != weak {
			t.Errorf("%q: %q, %d bits", value, got, Strength(value))
		}
	}
}

func TestValueWarnings(t *testing.T) {
	const ascii, wide, weak = "kP9s-Zx8-long-enough-1", "kP9s-Zx8-läng-enough-1", "1234"
	for _, c := range []struct {
		mode  Mode
		value string
		want  int
	}{
		{ModeSealed, "", 0}, {ModeSealed, ascii, 0}, {ModeSealed, wide, 1}, {ModeInjected, wide, 0}, {ModePlain, wide, 0},
		{ModeInjected, weak, 1}, {ModePlain, weak, 0}, {ModeSealed, "ä", 2},
		{ModeSealed, "Bearer " + ascii, 1}, {ModeInjected, "bearer  " + ascii, 1}, {ModeSealed, "Basic " + ascii, 1},
		{ModeSealed, ascii + "\n" + ascii + "\n", 1}, {ModeInjected, ascii + "\n" + ascii, 0},
		{ModePlain, "Bearer " + ascii, 0}, {ModeSealed, "Bearer", 1}, {ModeSealed, "Token of the old house 17", 0},
	} {
		if got := ValueWarnings(c.mode, NewSecret(c.value)); len(got) != c.want {
			t.Errorf("%s %q: %q", c.mode, c.value, got)
		}
	}
}
