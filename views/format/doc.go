// Package format writes times, sizes, counts and names for people.
package format
