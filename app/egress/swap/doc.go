// Package swap puts sealed values into requests and takes them out of responses.
//
// Scripts hold placeholders. On the way to a host that a credential belongs to, Outgoing replaces
// its placeholder by the value in the places that the credential allows; a placeholder that may not
// be replaced is never sent. On the way back, Incoming replaces every value, however it is written,
// by its placeholder again, so that a host that repeats what it was sent gives nothing away.
//
// # Placeholders
//
// All begin with Prefix and have PlaceholderLength bytes of [a-z0-9_], which no usual encoder
// changes. Package match finds them however their characters are written. One that is not written
// plainly is refused, never decoded, with one exception: the credentials of Basic. What is not
// found is worthless to whom it is sent.
//
// A text of that shape that no key of the execution has, as of an earlier value or another profile,
// is refused on its way to a host that any credential belongs to, and is mere text elsewhere.
//
// # Requests
//
// Values go into the values of the headers that the credential names, and into the path, the query
// and the body where the credential says so; never into names of headers and cookies, headers that
// frame the message, route it or are logged (app.UnfitHeader), the headers of multipart parts, the
// method, the fragment or trailers. A value is written as the place wants: percent-encoded in path,
// query and forms, escaped in JSON strings, in XML and in quoted strings of headers, in each part
// of a multipart body by the part's own type, raw in bodies of other types. A value that can't
// stand in a place (line breaks and other than ASCII in headers, a multipart boundary) is refused.
// A body of another type than its Content-Type says gets the escapes of that type; one with several
// types, or a type that can be read in several ways, is refused, and so is a placeholder in a binary
// format.
//
// A body in which values may be put in is read whole, up to app.MaxSwappedBody, and sent with its
// new length; of compressed bodies that is the length after decompression, and if something was
// replaced they are sent plain. While it is sent, up to 2 MiB are held, of one execution at most
// MaxHolds times. Larger bodies, and those bound for hosts where no credential may stand in the
// body, are searched while they are sent, in constant memory, and fail before the first byte of a
// placeholder. Where no credential may stand in the body, compressed ones are not looked into.
// Digests of a body that was changed (Content-MD5, Digest) are taken off; a signature over it no
// longer holds, so clients that sign need the value itself.
//
// Requests to hosts with a sealed credential have to pass AskReadable: Range is taken off, or a
// script could have a value repeated to it in pieces; a partial answer is refused.
//
// # Responses
//
// Found is what app/known says of a value, however its characters are written and behind one layer
// (package match). Parts shorter than 12 bytes are not looked for: a script can learn whether a text of
// its own is one, so it could try them all. For the same reason no run of a value is looked for here, as
// it is in output. Parts and readings become the placeholder, too, though that stands for the whole
// value where it is sent: a script has no other name for them, and a cookie that a host decoded is
// right again when it is sent back. Where the encoding has an exact counterpart the placeholder is shown
// in the same encoding; in base64 it is shown as it is, and the characters beside it may hold up to 4
// bits of the value at either end. Header names with a value in them are dropped with their header.
//
// Files that are compressed are searched as bytes. Whatever else a host computes or packs from a value
// passes, too.
//
// What is held back depends on lengths, blanks and the structure of the text only: the last bytes, as
// many as the longest spelling of the longest value has, or nothing behind a line that ends a top-level
// JSON object and behind an event of a stream of events (match.Scanner.Closed). If it depended on how
// much of a value was begun, a script whose own words a host repeats could find the value byte by byte.
// What remains is the time that searching takes, since text that resembles a value is searched more
// slowly, and that nothing passes at once if a value has a brace or a line break.
//
// # What the instance knows
//
// Values that other profiles' scripts, or earlier versions of a credential, brought to a host are
// searched for too: Incoming takes them from its caller. They become Withheld. Values that the
// script holds itself stay. Both sets are looked
// for at once: of a value of which a part was replaced the rest would not be recognised.
//
// Responses of hosts with a sealed credential are decompressed, gzip and deflate only, to at most 4
// GiB and, beyond the first MiB, 200 times the size; others are refused, and so are changes of
// protocol. Content-Length and digests of the body are taken off. An ETag stays, as a text like any
// other: that a host could make it from a value is no more than it could do with any text of its
// own.
//
// A response is searched where a value belongs, port included. Another port of the same host is
// another service: the value never went there, so there is nothing to reflect unless both share
// their data, and then a person names both.
//
// What no filter can see is what the host makes of a value: a hash, a cipher, every second
// character. A credential belongs only to hosts that are trusted with it.
package swap
