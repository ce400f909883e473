// Command testguest stands in for airlock-init in tests of backends. It knows nothing of sessions: it does what the first line of
// its stdin says (see sandboxtest.Order), passes stdin and stdout through, and ends like what it ran.
//
// Like airlock-init it also has the netns mode, which prepares a fresh network namespace and executes a command in it.
package main
