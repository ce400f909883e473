// Package swap puts sealed values into requests and takes them out of responses.
//
// Scripts hold placeholders. On the way to a host that a credential belongs to, Outgoing replaces its placeholder by the value in
// the places that the credential allows; a placeholder that may not be replaced is never sent. On the way back, Incoming replaces
// every value, raw or in its common encodings, by its placeholder again, so that a host that repeats what it was sent gives nothing away.
//
// # Placeholders
//
// All begin with Prefix and have PlaceholderLength bytes of [a-z0-9_], which no usual encoder changes. What is recognised besides the plain text:
// any mixture of capitals, percent-encoding (once or twice), \u and \x escapes and numeric HTML references; hex; UTF-16 and UTF-32; and base64 at any alignment,
// also broken into lines. Such a placeholder is refused, never decoded, with one exception: the credentials of Basic. Other
// transformations are not recognised; what they hide is worthless to whom it is sent.
//
// A text of that shape that no key of the execution has, as of an earlier value or another profile, is refused on its way to a host that any
// credential belongs to, and is mere text elsewhere.
//
// # Requests
//
// Values go into the values of the headers that the credential names, and into the path, the query and the body where the credential says so; never into names of headers
// and cookies, headers that frame the message, route it or are logged (app.UnfitHeader), the headers of multipart parts, the method, the fragment or trailers. A value is written as the place wants: percent-encoded in path, query and forms, escaped in JSON strings, in XML and in
// quoted strings of headers, in each part of a multipart body by the part's own type, raw in bodies of other types. A value that can't stand in a place (line breaks and
// other than ASCII in headers, a multipart boundary) is refused. A body of another type than its Content-Type says gets the escapes of that type.
//
// A body in which values may be put in is read whole, up to app.MaxSwappedBody, and sent with its new length; of compressed bodies that
// is the length after decompression, and if something was replaced they are sent plain. While it is sent, up to 2 MiB are held, of one execution at most MaxHolds times. Larger bodies, and those bound for hosts where no credential may stand in the body, are searched while they are sent,
// in constant memory, and fail before the first byte of a placeholder. Where no credential may stand in the body, compressed ones are not looked into.
// Digests of a body that was changed (Content-MD5, Digest) are taken off; a signature over it no longer holds, so clients that sign need the value itself.
//
// Requests to hosts with a sealed credential have to pass AskReadable: Range is taken off, or a script could have a value repeated to it in pieces; a
// partial answer is refused.
//
// # Responses
//
// Found are: the value as it is, in all capitals, in small letters and reversed; escaped as in JSON (also within JSON), Python, Go, HTML and XML; percent-encoded by the
// usual rules (also twice); in hex, in UTF-16, and in base64 at each alignment. Of values longer than 1 KiB: as it is, in JSON, percent-encoded and in base64.
// Each line of 16 bytes or more of a value counts like a value. Where the encoding has an exact counterpart the placeholder is shown in the same encoding; in
// base64 it is shown as it is, and the characters beside it may hold up to 4 bits of the value at either end. Base64 in lines is not found.
// Header names with a value in them are dropped with their header.
//
// All forms go into one Aho-Corasick automaton, so the time is linear, whatever the response; where nothing has begun it jumps. Matches that overlap become one.
// What is held back depends on lengths and line ends only: the last bytes, as many as the longest form has, or nothing where a line has ended and no
// value has a line break. If it depended on how much of a value was begun, a script whose own words a host repeats could find the value
// byte by byte. So streams of lines, such as events, pass line by line; others come as late as that. What remains is the time that searching takes: text that
// resembles a value is searched more slowly. Building the automaton takes about 2 ms and allocates 0.7 MB for the usual key, once per
// execution whose host answers; 8 ms and 1 MB for a private key in PEM; and for a value of 64 KiB, the longest, 0.1 s and 30 MB, of which 14 MB stay (BenchmarkNew).
//
// Responses of hosts with a sealed credential are decompressed, gzip and deflate only, to at most 4 GiB and, beyond the first MiB, 200 times the size; others are refused, and so are
// changes of protocol. Content-Length and digests of the body are taken off. An ETag stays, as a text like any other: that a host could make it from a
// value is no more than it could do with any text of its own.
//
// A response is searched where a value belongs, port included. Another port of the same host is another service: the value never went there, so
// there is nothing to reflect unless both share their data, and then a person names both.
//
// What no filter can see is what the host makes of a value: a hash, a cipher, every second character. A credential belongs only to hosts that are trusted with it.
package swap
