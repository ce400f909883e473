package instance

// KeyInfo says where the instance key is, for people.
type KeyInfo struct {
	From string // where it comes from
	ID   string // its name, which tells nothing about it
	Risk string // why key and data are not apart; "" if they are
}
