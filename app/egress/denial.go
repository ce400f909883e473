package egress

// denial carries a rule through the dialler.
type denial struct {
	rule  string
	cause error
}

func newDenial(rule string, cause error) error { return &denial{rule: rule, cause: cause} }

func (d *denial) Error() string { return d.rule }
