package redact

import "github.com/computclaw/airlock/app/redact/derived"

// maxInspections is how many views of a long text are looked at together.
const maxInspections = 2

// search is the search for values in what can be decoded from one root. Views are looked at in
// order, each together with the one before it: it sees what all those before that one have left of
// the budget, and what it finds and makes comes behind what they found and made. So nothing depends
// on who is faster.
type search struct {
	r      *Redactor
	root   *derived.View
	joint  bool
	budget int             // bytes of work left
	queue  []*derived.View // to be looked at
	found  []region
	spent  derived.Window // of the root: the largest part that was refused because nothing was left of the budget
	idle   []*inspection
}

// inspect returns where values are in a root, besides those that the machine finds in it as it is.
// Of a joint root only that is looked at which shows when its parts are put together.
func (r *Redactor) inspect(root *derived.View, joint bool) []region {
	if len(r.texts) == 0 || len(root.Text) < derived.MinStretch {
		return nil
	}
	root.Joined = joint
	s := &search{r: r, root: root, joint: joint, budget: minBudget + budgetRatio*len(root.Text),
		queue: []*derived.View{root}}
	var working []*inspection
	for len(s.queue)+len(working) > 0 {
		for len(working) < maxInspections && len(s.queue) > 0 {
			working = append(working, s.begin(s.queue[0]))
			s.queue = s.queue[1:]
		}
		s.await(working[0])
		working = append(working[:0], working[1:]...)
	}
	return s.found
}

// begin begins to look at a view; it doesn't wait for a long one.
func (s *search) begin(v *derived.View) *inspection {
	in := s.next()
	in.view, in.budget, in.lent = v, s.budget, s.budget
	if len(v.Text) < manyBytes {
		in.look()
	} else {
		in.done.Go(in.look)
	}
	return in
}

// next returns an inspection that isn't at work.
func (s *search) next() *inspection {
	if n := len(s.idle); n > 0 {
		in := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return in
	}
	in := &inspection{r: s.r, root: s.root, joint: s.joint}
	for i := range in.decoders {
		in.decoders[i].MinText = s.r.least
	}
	return in
}

// await waits for an inspection, and takes over what it found, made and spent.
func (s *search) await(in *inspection) {
	in.done.Wait()
	s.budget -= in.lent - in.budget
	s.found = append(s.found, in.found...)
	if in.over {
		s.refuse(in.view)
	}
	s.queue = append(s.queue, in.made...)
	in.found, in.made = in.found[:0], in.made[:0]
	s.idle = append(s.idle, in)
}

// refuse masks what a view was made of. A view of a text that is full of escapes has as many parts
// as that has bytes, and there may be hundreds, so it looks for their places only where not all
// that the parent was made of is masked already.
func (s *search) refuse(v *derived.View) {
	if all := v.Parent.Extent(); s.spent.From <= all.From && all.To <= s.spent.To {
		return
	}
	w := v.Extent()
	if w.From < 0 {
		return
	}
	s.found = append(s.found, unchecked(w))
	if w.To-w.From > s.spent.To-s.spent.From {
		s.spent = w
	}
}
