// Package settingsview renders settings, backups, export and import.
package settingsview
