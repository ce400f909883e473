package jsontext

import "strings"

// parser reads a text that Check accepts.
type parser struct {
	text  string
	at    int
	nodes []node
	keys  [MaxDepth + 1]map[string]Node // of the open objects, by depth
}

// value reads the value at p.at, which is so many arrays and objects deep.
func (p *parser) value(depth int) Node {
	p.blanks()
	switch c := p.text[p.at]; {
	case c == '"':
		return p.parseQuoted(String)
	case c == '[':
		return p.array(depth)
	case c == '{':
		return p.object(depth)
	case c == '-' || '0' <= c && c <= '9':
		return p.bare(Number)
	}
	return p.bare(Word)
}

func (p *parser) add(kind Kind) Node {
	p.nodes = append(p.nodes, node{start: int32(p.at), next: none, inner: none, kind: kind})
	return Node(len(p.nodes) - 1)
}

func (p *parser) blanks() {
	for p.at < len(p.text) && p.text[p.at] <= ' ' {
		p.at++
	}
}

// takes reads a separator, if it is what comes next.
func (p *parser) takes(c byte) bool {
	p.blanks()
	if p.text[p.at] != c {
		return false
	}
	p.at++
	return true
}

func (p *parser) parseQuoted(kind Kind) Node {
	n := p.add(kind)
	for p.at++; p.text[p.at] != '"'; p.at++ {
		if p.text[p.at] == '\\' {
			p.at++
		}
	}
	p.at++
	p.nodes[n].end = int32(p.at)
	return n
}

func (p *parser) bare(kind Kind) Node {
	n := p.add(kind)
	for p.at < len(p.text) && p.text[p.at] > ' ' && strings.IndexByte(",]}", p.text[p.at]) < 0 {
		p.at++
	}
	p.nodes[n].end = int32(p.at)
	return n
}

func (p *parser) array(depth int) Node {
	n, last := p.add(Array), none
	for p.at++; !p.takes(']'); p.takes(',') {
		last = p.link(n, last, p.value(depth+1))
	}
	return n
}

// object reads an object. A key that was there already gets the new value, and stays where it is.
func (p *parser) object(depth int) Node {
	n, last := p.add(Object), none
	if p.keys[depth] == nil {
		p.keys[depth] = map[string]Node{}
	}
	clear(p.keys[depth])
	for p.at++; !p.takes('}'); p.takes(',') {
		p.blanks()
		key := p.parseQuoted(Key)
		name := decode(p.text[p.nodes[key].start:p.nodes[key].end])
		p.takes(':')
		value := p.value(depth + 1)
		if first, known := p.keys[depth][name]; known {
			p.nodes[first].inner = value
			continue
		}
		p.keys[depth][name] = key
		p.nodes[key].inner = value
		last = p.link(n, last, key)
	}
	return n
}

// link puts a node behind the last one that is inside another.
func (p *parser) link(outer, last, n Node) Node {
	if last == none {
		p.nodes[outer].inner = n
	} else {
		p.nodes[last].next = n
	}
	return n
}
