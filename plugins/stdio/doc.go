// Package stdio holds the backends' shared handling of a box's streams. They relay two of them and
// keep the end of the third.
package stdio
