package transfer

import "sync/atomic"

// Progress counts what a long piece of work has done. A nil Progress counts nothing. It is safe for
// concurrent use.
type Progress struct{ done, total atomic.Int64 }

// Of returns how much is done and how much there is; total is 0 while that is not known.
func (p *Progress) Of() (done, total int64) {
	if p == nil {
		return 0, 0
	}
	return p.done.Load(), p.total.Load()
}

func (p *Progress) expect(total int64) {
	if p != nil {
		p.done.Store(0)
		p.total.Store(total)
	}
}

func (p *Progress) step() { p.add(1) }

func (p *Progress) add(n int64) {
	if p != nil {
		p.done.Add(n)
	}
}
