// Package settingsview renders the settings, backups, export and import.
package settingsview
