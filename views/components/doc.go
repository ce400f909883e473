// Package components holds what several pages are built of: headings, fields, tables, marks, icons.
package components
