package match

import "iter"

// jumps finds where one of several texts may begin, without looking at most bytes, as Wu and Manber
// do: the pair of bytes at the end of a window tells how far the window may move.
type jumps struct {
	window int     // at most the length of the shortest text, at least 2
	shift  []uint8 // for each pair
}

// maxWindow bounds how far is jumped at once.
const maxWindow = 64

// newJumps takes folded texts.
func newJumps(texts []string) jumps {
	j := jumps{window: maxWindow, shift: make([]uint8, 1<<16)}
	for _, text := range texts {
		j.window = min(j.window, len(text))
	}
	for i := range j.shift {
		j.shift[i] = uint8(j.window - 1)
	}
	for _, text := range texts {
		j.addText(text)
	}
	return j
}

// addText adds a folded text.
func (j jumps) addText(text string) {
	for i := 1; i < min(len(text), j.window); i++ {
		for a, b := range pairsOf(text[i-1 : i+1]) {
			pair := pairOf(a, b)
			j.shift[pair] = min(j.shift[pair], uint8(j.window-1-i))
		}
	}
}

// pairsOf returns the bytes that follow each other in a folded text, in either case.
func pairsOf(text string) iter.Seq2[byte, byte] {
	return func(yield func(a, b byte) bool) {
		for i := 1; i < len(text); i++ {
			for _, a := range unfolded(text[i-1]) {
				for _, b := range unfolded(text[i]) {
					if !yield(a, b) {
						return
					}
				}
			}
		}
	}
}

func pairOf(a, b byte) uint16 { return uint16(a)<<8 | uint16(b) }

// skip returns the first place at or after from at which a text may begin, as far as the data
// tells.
func (j jumps) skip(data []byte, from int) int {
	end := from + j.window - 1
	for end < len(data) {
		jump := j.shift[pairOf(data[end-1], data[end])]
		if jump == 0 {
			break
		}
		end += int(jump)
	}
	return min(end-j.window+1, len(data))
}
