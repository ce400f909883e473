package views

import "strconv"

// Invitation is the sentence that tells an agent where Airlock is and how to begin.
func Invitation(base string) string {
	return "You can run Python with my credentials through Airlock at " + base + ". Read " + base +
		"/skill.md first, create a profile that names the keys and hosts you need with your reasons, and tell me its pairing code."
}

func stepClass(step, now int) string {
	switch {
	case step < now:
		return "done"
	case step == now:
		return "now"
	}
	return "later"
}

func itoa(n int) string { return strconv.Itoa(n) }
