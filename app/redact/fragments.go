package redact

import (
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/computclaw/airlock/app/redact/fields"
)

// Lengths of fragments in characters.
const (
	minFragment = 8  // shorter ones are too often ordinary words, numbers or names
	maxFragment = 16 // longer ones count, however long the value is
	minDistinct = 5  // different characters of a value of which fragments count
)

const (
	seedLen       = 7  // bytes: short enough for minFragment, so long that ordinary text has few
	seedsOfSource = 4  // places of a seed in a source: more are only in sources that repeat themselves
	seedPlaces    = 32 // places in all sources: what so many values begin with is no secret
	gramLen       = 4
)

// fragments finds pieces of values in text. Every few bytes of a source are a seed, which is a
// needle of the machine, so that ordinary text pays nothing. What stands around a seed in a text is
// compared with what stands around it in the source. All of it takes less memory than the value as
// a whole does.
type fragments struct {
	origins [][]origin // by seed, less one
	grams   []uint64   // bit set: the hash of 1 to gramLen bytes of a source behind which it goes on
	shift   uint32
}

// source is a text of which fragments count: a value, or a part of one.
type source struct {
	text  string
	form  int32 // that a fragment counts as
	least int   // characters of a fragment
}

// origin is a place of a seed.
type origin struct {
	of *source
	at int // in its text
}

// newFragments returns the fragments of the values that scripts hold, nil if there are none, and
// the needles of their seeds, the first of which is to be form number first. texts are the values
// that count, by owner.
func newFragments(values []Value, texts []string, all []value, first int) (*fragments, []needle) {
	held := heldTexts(values)
	f, known := &fragments{}, map[string]int32{}
	var sources []*source
	var seeds []needle
	for owner, text := range texts {
		if !held[text] {
			continue
		}
		for _, part := range sourcesOf(text, all[owner].parts) {
			if least, ok := leastOf(part, part == text); ok {
				s := &source{text: part, form: none, least: least}
				sources = append(sources, s)
				seeds = f.addSeeds(seeds, known, s, int32(owner), first)
			}
		}
	}
	if len(seeds) == 0 {
		return nil, nil
	}
	f.addGrams(sources)
	return f, seeds
}

// sourcesOf returns the parts of a value of which fragments count: usually all of it. What is put
// together from several parts has others that are in ordinary text, too. Its fields are values of
// their own.
func sourcesOf(text string, p fields.Parts) (parts []string) {
	if p.One {
		return []string{text}
	}
	for _, word := range p.Words {
		if _, behind, found := strings.Cut(word, rsaKey); found {
			word = behind
		}
		parts = append(parts, word)
	}
	return parts
}

// rsaKey ends what each RSA key begins with in PKCS #8. Public keys and certificates have the same
// characters.
const rsaKey = "hkiG9w0BAQEFAASC"

// leastOf returns how many characters a fragment has at least: 60% of its source, within bounds.
// ok is false if nothing less than all of a whole value would do.
func leastOf(text string, whole bool) (least int, ok bool) {
	n := utf8.RuneCountInString(text)
	least = min(max((n*6+9)/10, minFragment), maxFragment)
	seen := map[rune]bool{}
	for _, r := range text {
		if seen[r] = true; len(seen) == minDistinct {
			break
		}
	}
	return least, (n > least || n == least && !whole) && len(seen) >= minDistinct
}

// addSeeds adds the seeds of a source to those that are known: so near to each other that every
// fragment has one, and one at either end.
func (f *fragments) addSeeds(all []needle, known map[string]int32, s *source, owner int32, first int) []needle {
	last := len(s.text) - seedLen
	for at := 0; at <= last; {
		seed := s.text[at : at+seedLen]
		id := known[seed]
		fresh := id == 0 && strings.Count(seed, seed[:1]) < seedLen // a row of zeros belongs to nobody
		if fresh {
			f.origins = append(f.origins, nil)
			id = int32(len(f.origins))
			known[seed] = id
		}
		if id != 0 && f.mayCount(id, s) {
			f.origins[id-1] = append(f.origins[id-1], origin{s, at})
			if fresh || s.form == none {
				s.form = int32(first + len(all))
				all = append(all, needle{form: form{owner: owner, encoding: "part"}, text: seed, seed: id})
			}
		}
		if at == last {
			break
		}
		at = min(at+s.least-seedLen+1, last)
	}
	return all
}

// mayCount bounds what a seed in a text costs.
func (f *fragments) mayCount(id int32, s *source) bool {
	same := 0
	for _, o := range f.origins[id-1] {
		if o.of == s {
			same++
		}
	}
	return same < seedsOfSource && len(f.origins[id-1]) < seedPlaces
}

// addGrams makes what tells whether a text may end within a fragment.
func (f *fragments) addGrams(sources []*source) {
	size := 0
	for _, s := range sources {
		size += gramLen * len(s.text)
	}
	width := min(max(bits.Len(uint(size))+4, 10), 24)
	f.shift = uint32(64 - width)
	f.grams = make([]uint64, 1<<(width-6))
	for _, s := range sources {
		for at := range len(s.text) {
			gram := uint64(1)
			for _, c := range []byte(s.text[at:min(at+gramLen, len(s.text)-1)]) {
				gram = gram<<8 | uint64(c)
				h := f.hash(gram)
				f.grams[h>>6] |= 1 << (h & 63)
			}
		}
	}
}

func (f *fragments) hash(gram uint64) uint64 { return gram * 0x9E3779B97F4A7C15 >> f.shift }

// open returns how many bytes at the end of a text may begin a fragment that goes on, before a seed
// of it is complete. It may be too many.
func (f *fragments) open(text []byte) int {
	n := 0
	for n < min(len(text), maxFragment-1) {
		tail, gram := text[len(text)-n-1:], uint64(1)
		for _, c := range tail[:min(len(tail), gramLen)] {
			gram = gram<<8 | uint64(c)
		}
		if h := f.hash(gram); f.grams[h>>6]>>(h&63)&1 == 0 {
			break
		}
		n++
	}
	return n
}
