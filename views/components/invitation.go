package components

// Invitation tells an agent where Airlock is and how to begin.
func Invitation(base string) string {
	return "You can run Python with my credentials through Airlock at " + base + ". Read " + base +
		"/skill.md first, " +
		"create a profile that names the keys and hosts you need with your reasons, and tell me its pairing code."
}
