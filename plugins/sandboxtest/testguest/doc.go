// Command testguest stands in for airlock-init in tests of backends. It knows nothing of sessions:
// it does what the first line of its stdin says (see sandboxtest.Order), passes stdin and stdout
// through, and ends like what it ran.
//
// Its netns mode is that of airlock-init.
package main
