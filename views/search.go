package views

// SearchPage lists what a search found.
type SearchPage struct {
	Shell
	Text  string
	Token bool // a token was typed
	Found []Found
}

// Found is one result.
type Found struct {
	Icon  string
	Title string
	Note  string
	URL   string
}

// Places are the pages, and what can be begun from anywhere.
func Places() []Found {
	var all []Found
	for _, p := range append(mainPlaces(), otherPlaces()...) {
		all = append(all, Found{p.icon, p.word, "Page", p.url})
	}
	return append(all,
		Found{"plus", "Create a profile", "Action", ProfileNew},
		Found{"plus", "Add a credential", "Action", CredentialNew},
		Found{"plus", "Paste a .env file", "Action", CredentialPaste},
		Found{"person", "Invite somebody", "Action, people", Settings + "#people"},
		Found{"clock", "Pause or resume all executions", "Action", Settings + "#pause"},
		Found{"settings", "Change your password", "Action", Settings + "#password-card"},
		Found{"out", "Sessions", "Who is logged in", Settings + "#sessions"},
	)
}

// Shortcut is a key and what it does.
type Shortcut struct {
	Keys []string
	Does string
}

// shortcuts are all that the scripts know; js/60-keys.js holds the same.
func shortcuts() []Shortcut {
	return []Shortcut{
		{[]string{"Ctrl K"}, "search and go anywhere (⌘ K on a Mac)"},
		{[]string{"/"}, "the search of this page, or of everything"},
		{[]string{"g", "o"}, "overview"},
		{[]string{"g", "p"}, "profiles"},
		{[]string{"g", "c"}, "credentials"},
		{[]string{"g", "e"}, "executions"},
		{[]string{"g", "i"}, "inbox"},
		{[]string{"g", "a"}, "audit"},
		{[]string{"g", "s"}, "settings"},
		{[]string{"j"}, "next row"},
		{[]string{"k"}, "row before"},
		{[]string{"Enter"}, "open the row"},
		{[]string{"c"}, "create, on a list"},
		{[]string{"?"}, "this list"},
	}
}
