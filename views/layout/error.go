package layout

// ErrorPage replaces a page that could not be shown.
type ErrorPage struct {
	Shell
	Status  int
	Message string // what did not happen
	Hint    string // what to do
	Bare    bool   // without navigation, for logged-out people
}
