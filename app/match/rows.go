package match

import (
	"iter"
	"strings"
)

// rows finds rows of bytes of a set, by each byte's kind.
type rows [256]kind

// kind is a set: how a byte belongs to rows.
type kind uint8

const (
	counted  kind = 1 << iota
	blank         // inside as layout
	part          // may stand in a run of a layer outside of an escape
	escaping      // begins escapes
	inside        // the largest, so that one comparison tells
)

func newRows(counts, others string) (r rows) {
	for b := range r {
		switch {
		case strings.IndexByte(counts, byte(b)) >= 0:
			r[b] = inside | counted
		case strings.IndexByte(others, byte(b)) >= 0:
			r[b] = inside
		case strings.IndexByte(" \t+", byte(b)) >= 0:
			r[b] = blank
		}
		if isLead(byte(b)) {
			r[b] |= escaping
		}
	}
	return r
}

// parts returns the rows of those bytes only that may stand in a run.
func (r *rows) parts() (out rows) {
	for b, kind := range r {
		if kind&part != 0 {
			out[b] = kind
		}
	}
	return out
}

// row is the place of a row, its counted bytes, and whether it may have escapes.
type row struct {
	start, end int
	count      int
	escapes    bool
}

// inPart returns the rows in a part of data with at least bytes bytes, count of them counted.
func (r *rows) inPart(data []byte, part row, bytes, count int) iter.Seq[row] {
	return func(yield func(row) bool) {
		for at := r.next(data[:part.end], part.start, bytes); at < part.end; {
			found := r.row(data[:part.end], at)
			if found.count >= count && !yield(found) {
				return
			}
			at = r.next(data[:part.end], found.end, bytes)
		}
	}
}

// lastIn returns the part of data that has the rows that end with it, or in half an escape before.
func (r *rows) lastIn(data []byte) row {
	start := max(0, len(data)-maxEscape)
	for start > 0 && r[data[start-1]]&(inside|blank) != 0 {
		start--
	}
	return row{start: start, end: len(data)}
}

// next returns where the next row of at least bytes bytes begins, or data's end. It tests a row's
// last byte first, to skip most other bytes.
func (r *rows) next(data []byte, at, bytes int) int {
	for at+bytes <= len(data) {
		last := at + bytes - 1
		for {
			for last >= at && r[data[last]] >= inside {
				last--
			}
			if last < at || r[data[last]]&blank == 0 {
				break
			}
			first := last
			for first > at && r[data[first-1]]&blank != 0 {
				first--
			}
			if !isLayout(data, first) {
				break
			}
			last = first - 1
		}
		if last < at {
			return at
		}
		at = last + 1
	}
	return len(data)
}

// row returns the row at a place. A blank belongs to the row before it.
func (r *rows) row(data []byte, at int) row {
	all, count, end := r.readAlike(data, at)
	for ; end < len(data); end++ {
		kind := r[data[end]]
		if kind < inside && (kind&blank == 0 || !(end > at && r[data[end-1]]&blank != 0) && !isLayout(data, end)) {
			break
		}
		all |= kind
		if count += int(kind & counted); data[end] == 0 && kind&counted == 0 {
			end += countZeros(data[end+1:])
		}
	}
	return row{at, end, count, all&escaping != 0 && hasEscape(data[at:end])}
}

// readAlike reads a row's first bytes, in groups of which all or none are counted: few instructions
// for each. It stops before what needs a closer look.
func (r *rows) readAlike(data []byte, at int) (all kind, count, end int) {
	for end = at; end+8 <= len(data); end += 8 {
		each, some := ^kind(0), kind(0)
		for _, b := range (*[8]byte)(data[end:]) {
			each, some = each&r[b], some|r[b]
		}
		switch {
		case each&(inside|counted) == inside|counted:
			count += 8
		case each < inside || some&(counted|escaping) != 0: // a zero byte begins escapes
			return all, count, end
		}
		all |= some
	}
	return all, count, end
}

func hasEscape(data []byte) bool {
	for i := 1; i < len(data); i++ {
		if leadBits[data[i-1]]&follows[data[i]] != 0 {
			return true
		}
	}
	return false
}

// isLayout reports whether a blank, or a plus sign for one, may be layout. That is indentation,
// inside a tag, or the end of a CSS escape.
func isLayout(data []byte, at int) bool {
	for i := at - 1; i >= max(0, at-maxEscape); i-- {
		switch b := data[i]; {
		case leadBits[b]&breaking == 0:
		case b != '=', data[i+1] == '0', data[i+1] == '3': // a line break, or = itself; not key=value
			return true
		}
	}
	return false
}
