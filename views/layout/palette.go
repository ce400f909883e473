package layout

// Shortcut is a key and what it does.
type Shortcut struct {
	Keys []string
	Does string
}

// shortcuts lists the scripts' shortcuts; keep it equal to js/60-shortcuts.js.
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
