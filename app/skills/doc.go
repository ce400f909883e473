// Package skills keeps skills: named bundles of files that a person approves once and agents run as
// often as they like.
//
// A skill belongs to the instance. Each upload of other files is a version: numbered, immutable, and
// identified by the digest of its files. It is quarantined until a person approves exactly that
// digest, with the keys and hosts that its manifest asks for. What is approved can be revoked; a
// skill can be switched off as a whole, or deleted, which leaves the record of who decided what.
//
// The profile whose agent took a skill's name may run it once a version is approved, and upload
// further versions. Other profiles may run it where a person allows them to.
//
// The files lie in the storage of package files as one sealed content, which is checked against the
// digest whenever it is read.
package skills
