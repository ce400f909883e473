package components

// Choice is one option of a filter.
type Choice struct {
	Value string
	Word  string
}
