// Package bundle reads skills: a folder or a zip file with a SKILL.md, in the open Agent Skills
// format, with Airlock's own fields under metadata and Skillbox's at the top level.
//
// What is read comes from agents, so it is hostile until a person has looked at it. Zip readers
// differ in what they see in one file. A bundle is therefore read once, by this package, into its
// files; what is stored, shown, hashed and run are those files and never the zip again. Bytes are
// counted as they are unpacked; a size that the zip declares is only compared with the count.
//
// A bundle's identity is its Digest, over paths, mode bits and contents: packing the same files
// again changes nothing, one changed byte changes it.
//
// What Python files import and call is found by their tokens, here, and not by Python's module ast in
// a box. A person looks at facts also where there is no box: at the command line, beside a server
// that was stopped, while a backend is being checked. A box's interpreter is older or newer than the
// one that a skill was written for and refuses its whole file; tokens are the same in all. They are
// enough for facts, which refuse nothing by themselves: code that hides what it does from its tokens
// has to call something that is among them. A test compares the imports of the standard library with
// those that ast finds.
//
// The format: https://agentskills.io/specification.
package bundle
