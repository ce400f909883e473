package code

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Row is a row of two texts side by side.
type Row struct {
	gap         bool // equal lines are omitted before this row
	left, right cell
}

// cell is a line of one side; number 0 without one.
type cell struct {
	number  int
	text    string
	changed bool
}

// Bounds of the compared and shown lines, per side.
const (
	diffBytes = 256 << 10
	diffRows  = 600
	diffAlike = 3 // lines shown around each difference
)

// DiffOf compares two texts by lines. same: they are equal. over: rows is incomplete.
func DiffOf(before, after string) (rows []Row, same, over bool) {
	if before == after {
		return nil, true, false
	}
	over = len(before) > diffBytes || len(after) > diffBytes
	before, after = diffHead(before), diffHead(after)
	unified, err := udiff.ToUnifiedDiff("", "", before, udiff.Lines(before, after), diffAlike)
	if err != nil { // the same library made the edits
		return nil, false, true
	}
	for i, h := range unified.Hunks {
		rows = append(rows, hunkRows(h, i > 0)...)
		if len(rows) > diffRows {
			return rows[:diffRows], false, true
		}
	}
	return rows, false, over
}

func diffHead(text string) string {
	if len(text) > diffBytes {
		text = strings.ToValidUTF8(text[:diffBytes], "")
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// hunkRows pairs removed lines with their replacements.
func hunkRows(h *udiff.Hunk, gap bool) (rows []Row) {
	left, right := h.FromLine, h.ToLine
	var removed, added []cell
	flush := func() {
		for i := range max(len(removed), len(added)) {
			var r Row
			if i < len(removed) {
				r.left = removed[i]
			}
			if i < len(added) {
				r.right = added[i]
			}
			rows = append(rows, r)
		}
		removed, added = nil, nil
	}
	for _, l := range h.Lines {
		text := strings.TrimSuffix(l.Content, "\n")
		switch l.Kind {
		case udiff.Delete:
			removed = append(removed, cell{left, text, true})
			left++
		case udiff.Insert:
			added = append(added, cell{right, text, true})
			right++
		default:
			flush()
			rows = append(rows, Row{left: cell{left, text, false}, right: cell{right, text, false}})
			left++
			right++
		}
	}
	flush()
	if len(rows) > 0 {
		rows[0].gap = gap
	}
	return rows
}
