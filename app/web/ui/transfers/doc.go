// Package transfers answers the pages that move everything: export, import, backups and restore
// points. Each asks for a fresh password, and agents have no such calls.
package transfers
