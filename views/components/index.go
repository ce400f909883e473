package components

// IndexEntry is one section of a long page.
type IndexEntry struct{ ID, Word string }
