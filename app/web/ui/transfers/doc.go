// Package transfers serves export, import, backups and restore points. Each asks for a fresh
// password; agents have no such calls.
package transfers
