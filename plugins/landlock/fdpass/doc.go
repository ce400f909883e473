// Package fdpass is what a box's supervisor and its guest say to each other. They use a Unix socket
// of sequenced packets, descriptor 3 of the guest. The supervisor hands over the connections that
// it made for the box's processes, and the guest has processes frozen that only the supervisor can
// find.
//
// Either side takes only what it expects. The guest's side is in the box and is trusted no further
// than the box.
package fdpass
