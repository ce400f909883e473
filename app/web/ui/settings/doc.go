// Package settings answers the settings: people, sessions, appearance, and what is kept.
package settings
