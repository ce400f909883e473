// Package head judges the head of an HTTP/1 request before anything parses it.
//
// Request smuggling needs bytes that two parsers read differently. So all that is ambiguous is
// refused, even if standards permit it: bare line feeds, folded lines, white space around names,
// lists of lengths, codings other than chunked, targets with a scheme, a Host other than the
// dialled one.
package head
