// Package skillview renders skills: the list, and one skill to review.
package skillview
