package components

// PasskeyForm is a form that a browser fills with a passkey. It needs scripts and passkey support
// to show.
type PasskeyForm struct {
	Origin  string // the address at which passkeys work
	Problem string // why the last one was refused
	Do      string // "get" to log in, "create" to make one
	Action  string
	Options string // address of what the browser needs
}

// For returns the form for one use.
func (f PasskeyForm) For(do, action, options string) PasskeyForm {
	f.Do, f.Action, f.Options = do, action, options
	return f
}
