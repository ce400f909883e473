// Package components holds shared parts of pages: headings, fields, tables, marks, icons.
package components
