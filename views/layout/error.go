package layout

// ErrorPage is what a person sees instead of the page that could not be shown.
type ErrorPage struct {
	Shell
	Status  int
	Message string // what did not happen
	Hint    string // what to do
	Bare    bool   // without navigation, for those who are not logged in
}
