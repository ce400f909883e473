// Package imports finds out which Python modules the scripts of this instance import, so that
// templates have them loaded before a script comes. Only names of public modules leave it.
package imports
