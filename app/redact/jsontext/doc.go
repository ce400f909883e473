// Package jsontext reads JSON as text: compact, with its keys in the order in which they were given.
//
// encoding/json turns objects into maps, which forget their order, and a list of two million numbers
// into hundreds of megabytes. A Document is the text and a table of its values: 20 bytes for each.
package jsontext
