package match

// place is a point of a search backwards: the first rest characters of the pattern have to end at it.
type place struct{ at, rest int }

// locate returns where the pattern that ends at a place begins.
func (f *Finder) locate(data []byte, end int, text string) int {
	var u units
	// Nearly always all but its first character stands there as it is.
	if second := end - len(text) + 1; second > 0 && foldedEqual(data[second:end], text[1:]) {
		if first := before(&u, nil, data, place{second, 1}, text); len(first) > 0 {
			return first[len(first)-1].at
		}
	}
	least := max(0, end-f.Reach())
	seen := map[place]bool{}
	stack := []place{{end, len(text)}}
	for len(stack) > 0 {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if p.rest == 0 {
			return p.at
		}
		if seen[p] || p.at < least {
			continue
		}
		seen[p] = true
		stack = before(&u, stack, data, p, text)
	}
	return least // not reached: what was found forwards is found backwards
}

// before adds the places from which one reading leads to p, the longest last: an escape is to be found with all of its lead.
func before(u *units, stack []place, data []byte, p place, text string) []place {
	if p.at > 0 && folded[data[p.at-1]] == text[p.rest-1] {
		stack = append(stack, place{p.at - 1, p.rest - 1})
	}
	for n := 1; n <= maxEscape; n++ {
		from := p.at - n
		if from < 0 || !isLead(data[from]) {
			continue
		}
		u.read(data[from:min(len(data), from+maxEscape)], true)
		for _, u := range u.all() {
			rest := p.rest - int(u.size)
			if int(u.n) == n && rest >= 0 && foldedEqual(u.bytes(), text[rest:p.rest]) {
				stack = append(stack, place{from, rest})
			}
		}
	}
	return stack
}

func foldedEqual(data []byte, text string) bool {
	for i, b := range data {
		if folded[b] != text[i] {
			return false
		}
	}
	return true
}
