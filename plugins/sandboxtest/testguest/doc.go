// Command testguest stands in for airlock-init in tests of backends. It executes the order in the
// first line of its stdin (see sandboxtest.Order), passes stdin and stdout through, and ends like
// the command.
//
// Its netns mode is that of airlock-init.
package main
