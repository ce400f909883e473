// Package fdpass is the protocol between a box's supervisor and its guest. They use a Unix socket
// of sequenced packets, descriptor 3 of the guest. The supervisor hands over connections that it
// made for the box's processes. The guest asks it to freeze processes, which only the supervisor
// can find.
//
// Either side accepts only expected messages. The guest's side is inside the box and trusted no
// further.
package fdpass
