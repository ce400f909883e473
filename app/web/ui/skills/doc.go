// Package skills serves the pages for reviewing and managing skills.
package skills
