// Package settings serves the settings: people, sessions, appearance and retention.
package settings
