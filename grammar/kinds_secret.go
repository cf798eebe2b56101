package grammar

// quiet is k for statements that may hold a key or a password: an error shows neither the string it stopped at nor the line.
func quiet(k kindOf) kindOf {
	parse := k.parse
	k.parse = func(p *parser) Statement {
		defer func() {
			r := recover()
			if r == nil {
				return
			}
			if e, ok := r.(*ParseError); ok {
				e.line = ""
				if t := p.tokenAt(int32(e.Offset)); t.kind != kWord && e.Found != "" && (t.kind == kString || t.kind == kQuoted || t.kind == kNumber) {
					e.Found = t.kind.String()
				}
			}
			panic(r)
		}()
		return parse(p)
	}
	return k
}
