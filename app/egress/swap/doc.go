// Package swap puts sealed values into requests and takes them out of responses.
//
// Scripts hold placeholders. Outgoing replaces a placeholder by its value, on the way to the
// credential's hosts and in the places that it allows. A placeholder that may not be replaced is
// never sent. Incoming replaces every value in an answer by its placeholder, so a host that repeats
// a request reveals nothing.
//
// # Placeholders
//
// They begin with Prefix and have PlaceholderLength bytes of [a-z0-9_], which no usual encoder
// changes. Package match finds them however their characters are written. One that is not written
// plainly is refused, never decoded, except in Basic. One that isn't found is worthless to its
// receiver.
//
// A text of that shape without a key of the execution is refused on its way to a host of any
// credential. Elsewhere it is mere text.
//
// # Requests
//
// Values go into the values of the headers that the credential names, and into path, query and body
// if it says so. They never go into names of headers and cookies, headers that frame, route or are
// logged (app.UnfitHeader), headers of multipart parts, method or fragment. A value is
// written as the place wants: percent-encoded in path, query and forms, escaped in JSON strings,
// XML and quoted strings of headers, by each multipart part's own type, raw in other bodies.
// Refused: a value that can't stand in a place (line breaks and non-ASCII in headers, a multipart
// boundary, escapes in XML with CDATA), several content types or an ambiguous one, and a placeholder
// in a binary format or in a multipart body within another. A body of another type than its
// Content-Type gets the escapes of the latter.
//
// A body that may get values is read whole, up to app.MaxSwappedBody, and sent with its new length.
// While it is sent up to 2 MiB are held, at most MaxHolds times per execution. Other bodies, and
// compressed ones as they are, are searched while they are sent, in constant memory, and fail before
// a placeholder's first byte. Content-Md5 and Digest of a changed body are removed; signatures over
// it no longer hold.
//
// Requests to hosts with a sealed credential must pass AskReadable. Range is removed, or a script
// could have a value repeated in pieces. Partial answers are refused.
//
// # Responses
//
// app/known turns values into patterns, and package match finds them, also behind one layer. Parts
// shorter than 12 bytes are not searched, nor are runs of a value: a script could test all guesses.
// Parts and decoded forms become the placeholder, too, so a cookie that a host decoded is right
// when sent back. The placeholder is shown in the same encoding if that has an exact counterpart.
// In base64 it is plain, and its neighbours may hold up to 4 bits of the value at either end. A
// header with a value in its name is dropped.
//
// Compressed files are searched as bytes. Anything else that a host computes or packs from a value
// passes.
//
// The delay depends only on lengths, blanks and structure: as many last bytes as the longest
// spelling has. Nothing is held behind a line that ends a top-level JSON object or an event
// (match.Scanner.Closed). If it depended on how much of a value was begun, a script could find the
// value byte by byte. Two channels remain: text that resembles a value is searched more slowly, and
// nothing passes at once if a value has a brace or a line break.
//
// # Known values
//
// Incoming also searches for values that other profiles or earlier versions brought to the host.
// They become Withheld. The script's own values stay. One pass searches for both: a second would
// miss a value of which a part was replaced.
//
// Responses of hosts with a sealed credential are decompressed, gzip only. Limits: 4
// GiB, and beyond the first MiB 200 times the size. Others are refused, as are changes of protocol.
// Content-Length and digests are removed. An ETag stays, as a text like any other.
//
// A response is searched where a value belongs, port included: another port is another service,
// which never got the value. If both share data, a person names both.
//
// No filter sees a hash, a cipher or every second character of a value. A credential belongs only
// to hosts that are trusted with it.
package swap
