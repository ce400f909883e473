// Package encodings writes a value in the ways in which encoders write it.
//
// It is the one list of the forms that a text is searched for. A form of an encoding that goes on
// in one alphabet may cover the beginning of a value only; RunSet says in which bytes the rest goes
// on. What undoes encodings is app/redact/decode.
package encodings
