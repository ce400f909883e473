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
// The format: https://agentskills.io/specification.
package bundle
