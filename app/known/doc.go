// Package known says by which texts a known value is recognised, in answers of hosts and in output.
// app/match finds them, however their characters are written.
package known
