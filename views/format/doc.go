// Package format writes times, sizes, counts and names as people read them.
package format
