package redact

// region is a place to be masked, as offsets into the whole text. Regions of a scan are ordered and
// don't overlap.
type region struct {
	start, end int
	form       int32 // form that fills the region; none if no single one does
	// the longest form in it, of a placeholder only if there is no value's; none for patterns and
	// for what was not checked
	by    int32
	quiet int32 // as in ending
	note  *note // nil for what was found as it stands
}

// note says how a region was found.
type note struct {
	via       string // decodings, the outermost first
	rule      string // of a pattern
	unchecked bool
}

const (
	maskPlain     = "[REDACTED]"
	maskUnchecked = "[REDACTED: could not be checked]"
)

// mask is what replaces a region.
func (m *machine) mask(g *region) string {
	if g.form != none {
		f := m.forms[g.form]
		v := m.values[f.owner]
		if f.sealed {
			return "[SEALED:" + v.name + "]"
		}
		if f.shows && v.show != "" && (g.quiet == none || g.quiet == f.owner) {
			return "[REDACTED..." + v.show + "]"
		}
	}
	if m.worth(g.by) < ofValue && g.note != nil && g.note.unchecked {
		return maskUnchecked
	}
	return maskPlain
}

// How much a form counts when a hit names one for its region.
const (
	ofNothing = iota
	ofPlaceholder
	ofValue
)

// worth ranks a form: a placeholder is found in text that never held the value, so it says nothing
// about a value, and gives way to every form of one.
func (m *machine) worth(form int32) int {
	switch {
	case form == none:
		return ofNothing
	case m.forms[form].sealed:
		return ofPlaceholder
	}
	return ofValue
}

// hit says what a region counts as; ok is false if it is no secret.
func (m *machine) hit(g *region) (h Hit, ok bool) {
	worth := m.worth(g.by)
	if m.worth(g.form) == ofPlaceholder || worth == ofPlaceholder && g.note == nil {
		return Hit{}, false
	}
	if worth == ofValue {
		f := m.forms[g.by]
		v := m.values[f.owner]
		h = Hit{Name: v.name, Encoding: f.encoding}
		if v.anonymous {
			h.Rule = RuleNotGiven
		}
	}
	if g.note != nil {
		switch {
		case worth < ofValue && g.note.unchecked:
			h.Encoding = "not checked"
		case worth == ofPlaceholder:
			h.Rule, h.Encoding = g.note.rule, "around the placeholder of "+m.values[m.forms[g.by].owner].name
		case worth == ofNothing:
			h.Rule = g.note.rule
		case h.Encoding == "":
			h.Encoding = g.note.via
		case g.note.via != "":
			h.Encoding = g.note.via + ", " + h.Encoding
		}
	}
	return h, true
}

// extend makes g the union with a region that doesn't begin before it and overlaps it.
func (m *machine) extend(g, h *region) {
	fills := h.start == g.start && h.end >= g.end
	switch {
	case fills && (h.end > g.end || g.form == none ||
		(!m.forms[g.form].shows && h.form != none && m.forms[h.form].shows)):
		g.form = h.form
	case h.end > g.end:
		g.form = none
	}
	mine, other := m.worth(g.by), m.worth(h.by)
	switch {
	case other == ofValue && (mine < ofValue || h.end-h.start > g.end-g.start):
		g.by, g.note = h.by, h.note
	case other == ofPlaceholder && mine == ofNothing:
		g.by = h.by
	}
	if g.note == nil && mine < ofValue && other < ofValue {
		g.note = h.note
	}
	if g.quiet != h.quiet {
		g.quiet = mix(g.quiet, h.quiet)
	}
	g.end = max(g.end, h.end)
}

// add puts a region into an ordered list none of whose regions ends after it.
func (m *machine) add(list []region, h *region) []region {
	n := len(list)
	for ; n > 0 && list[n-1].end > h.start; n-- {
		last := &list[n-1]
		if last.start <= h.start {
			m.extend(last, h)
			return list[:n]
		}
		m.extend(h, last)
	}
	return append(list[:n], *h)
}
