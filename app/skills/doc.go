// Package skills keeps skills: named bundles of files that a person approves once and agents run
// often.
//
// A skill belongs to the instance. Each upload of other files is a version: numbered, immutable,
// and identified by the digest of its files. It is quarantined until a person approves exactly that
// digest, with the keys and hosts in its manifest. An approval can be revoked. A skill can be
// switched off, or deleted; the record of decisions stays.
//
// The profile whose agent took a skill's name may run approved versions and upload further ones.
// Other profiles may run it where a person allows that.
//
// The files are one sealed content in the storage of package files. Each read checks them against
// the digest.
package skills
