// Package skillview renders skills: the list and a review.
package skillview
