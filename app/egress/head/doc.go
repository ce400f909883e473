// Package head judges the head of an HTTP/1 request before anything parses it for use.
//
// Smuggling lives on bytes that two parsers understand differently, so everything that is not
// plainly one thing is refused, also where standards would let it pass: bare line feeds, folded
// lines, white space around names, lists of lengths, codings other than chunked, targets with a
// scheme (an ordinary client never sends one without a proxy), a Host that is not the host that was
// dialled.
package head
