// Package bundle reads skills: a folder or a zip file with a SKILL.md in the open Agent Skills
// format. Airlock's own fields are under metadata, Skillbox's at the top level.
//
// Bundles come from agents and are hostile until a person has reviewed them. Zip readers disagree
// about one file, so this package reads it once; only the resulting files are stored, shown, hashed
// and run. Unpacked bytes are counted; a declared size is only compared with the count.
//
// A bundle's identity is its Digest over paths, mode bits and contents. Packing the same files
// again changes nothing.
//
// Imports and calls of Python files are found by their tokens (app/python). These suffice, because
// facts refuse nothing by themselves: code that hides its actions has to call something that is
// among them.
//
// The format: https://agentskills.io/specification.
package bundle
