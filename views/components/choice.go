package components

// Choice is an option of a select or switch.
type Choice struct {
	Value string
	Word  string
}

// Choices returns options from pairs of value and word.
func Choices(pairs ...string) []Choice {
	list := make([]Choice, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		list = append(list, Choice{pairs[i], pairs[i+1]})
	}
	return list
}

// SameChoices returns options whose words are their values.
func SameChoices(values []string) []Choice {
	list := make([]Choice, len(values))
	for i, v := range values {
		list[i] = Choice{v, v}
	}
	return list
}
