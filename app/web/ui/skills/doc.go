// Package skills answers the pages on which people review and manage skills.
package skills
