package components

// Choice is one option of a select or a switch.
type Choice struct {
	Value string
	Word  string
}
