package project

import "strings"

// RenderHook returns the text of a hook as dbt would run it, if that needs no dbt: text without Jinja, or with nothing but {{ this }}, its parts,
// and ref and source of plain strings. It reports false for everything else, for a ref that deferral may lead elsewhere, and where a macro of the
// project took the word's place; such hooks the host renders (protocol, render_hooks).
func (p *Project) RenderHook(n *Node, hook Hook, deferred map[string]string) (string, bool) {
	if !hasJinja(hook.SQL) {
		return hook.SQL, true
	}
	var b strings.Builder
	trimNext := false
	for rest := hook.SQL; ; {
		i := nextTag(rest)
		text := rest
		if i >= 0 {
			text = rest[:i]
		}
		if trimNext {
			text = strings.TrimLeft(text, " \t\r\n")
		}
		if i < 0 {
			b.WriteString(text)
			return b.String(), true
		}
		if rest[i+1] != '{' {
			return "", false
		}
		end := codeEnd(rest[i+2:], '}')
		if end < 0 {
			return "", false
		}
		expr := rest[i+2 : i+2+end]
		rest = rest[i+2+end+2:]
		if strings.HasPrefix(expr, "-") {
			expr, text = expr[1:], strings.TrimRight(text, " \t\r\n")
		}
		trimNext = strings.HasSuffix(expr, "-")
		val, ok := p.resolve(n, strings.TrimSpace(strings.TrimSuffix(expr, "-")), deferred)
		if !ok {
			return "", false
		}
		b.WriteString(text)
		b.WriteString(val)
	}
}

// nextTag returns the place of the next Jinja tag of any kind, -1 if there is none.
func nextTag(s string) int {
	for i := 0; i+1 < len(s); i++ {
		if s[i] == '{' && (s[i+1] == '{' || s[i+1] == '%' || s[i+1] == '#') {
			return i
		}
	}
	return -1
}

// NeedsRender tells whether any hook of the node needs the host's Jinja. Headers never do.
func (p *Project) NeedsRender(n *Node, deferred map[string]string) bool {
	for _, h := range n.Hooks {
		if _, ok := p.RenderHook(n, h, deferred); !ok {
			return true
		}
	}
	return false
}

// resolve renders one expression of the few kinds that mean the same outside dbt.
func (p *Project) resolve(n *Node, expr string, deferred map[string]string) (string, bool) {
	if word, _ := firstWord(expr); len(p.macros.byName[word]) > 0 {
		return "", false
	}
	if name, ok := strings.CutPrefix(expr, "this"); ok {
		if name == "" {
			return n.RelationName, n.RelationName != ""
		}
		if len(n.Relation.Parts) != 3 || n.RelationName == "" {
			return "", false
		}
		switch name {
		case ".database":
			return n.Relation.Parts[0], true
		case ".schema":
			return n.Relation.Parts[1], true
		case ".identifier", ".name", ".table":
			return n.Relation.Parts[2], true
		}
		return "", false
	}
	if args, ok := plainCall(expr, "ref"); ok && (len(args) == 1 || len(args) == 2) {
		return p.parentNamed(n, deferred, func(parent *Node) bool {
			if parent.Resource != Model && parent.Resource != Seed && parent.Resource != Snapshot {
				return false
			}
			return parent.Name == args[len(args)-1] && (len(args) == 1 || parent.Package == args[0])
		})
	}
	if args, ok := plainCall(expr, "source"); ok && len(args) == 2 {
		return p.parentNamed(n, deferred, func(parent *Node) bool {
			return parent.Resource == Source && !parent.External && parent.Name == args[1] && parent.rest.get("source_name").str() == args[0]
		})
	}
	return "", false
}

// parentNamed prints the one parent that fits. dbt has resolved refs of hooks into depends_on while parsing; two that fit (two versions) are
// a doubt.
func (p *Project) parentNamed(n *Node, deferred map[string]string, fits func(*Node) bool) (string, bool) {
	var found *Node
	for _, id := range n.Parents {
		parent := p.Nodes[id]
		if parent == nil || !fits(parent) {
			continue
		}
		if found != nil && found != parent {
			return "", false
		}
		found = parent
	}
	if found == nil || found.Kind == KindEphemeral || found.RelationName == "" {
		return "", false
	}
	if _, may := deferred[found.UniqueID]; may {
		return "", false
	}
	return found.RelationName, true
}

// plainCall reads name('a', 'b'): string literals without escapes, nothing else.
func plainCall(expr, name string) ([]string, bool) {
	s, ok := strings.CutPrefix(expr, name)
	if !ok {
		return nil, false
	}
	s = strings.TrimSpace(s)
	if len(s) < 2 || s[0] != '(' || s[len(s)-1] != ')' {
		return nil, false
	}
	var args []string
	for s = strings.TrimSpace(s[1 : len(s)-1]); ; {
		if s == "" || s[0] != '\'' && s[0] != '"' {
			return nil, false
		}
		end := strings.IndexByte(s[1:], s[0])
		if end < 0 || strings.IndexByte(s[1:1+end], '\\') >= 0 {
			return nil, false
		}
		args = append(args, s[1:1+end])
		s = strings.TrimSpace(s[end+2:])
		if s == "" {
			return args, true
		}
		if s[0] != ',' {
			return nil, false
		}
		s = strings.TrimSpace(s[1:])
	}
}

// harmless are the statements that read nothing of other relations and write nothing but what belongs to a table (S7, S15).
var harmless = map[string]bool{"grant": true, "comment": true, "analyze": true, "optimize": true, "vacuum": true}

// resolving are statements after which names still mean the same: no USE, SET, ATTACH, CREATE TEMPORARY and the like.
var resolving = map[string]bool{
	"insert": true, "update": true, "delete": true, "merge": true, "select": true, "with": true, "revoke": true,
	"alter table": true, "alter view": true, "truncate": true, "refresh": true, "msck": true,
}

// HookIsHarmless tells whether a rendered hook provably consists of GRANT, COMMENT, ANALYZE, OPTIMIZE and VACUUM statements only: it reads no
// other relation (S7) and writes nothing but {{ this }} (S15). A blank text is harmless.
func HookIsHarmless(sql string) bool {
	return eachStatement(sql, func(word string) bool { return harmless[word] })
}

// HookKeepsNames tells whether names in later statements of the session provably mean the same after a rendered hook.
func HookKeepsNames(sql string) bool {
	return eachStatement(sql, func(word string) bool { return harmless[word] || resolving[word] })
}

// eachStatement asks ok for the first word of every statement, in lower case. Every semicolon counts as an end, also one in a string: the rest
// of the string then begins with some other word and the answer is no, whichever way the dialect escapes quotes.
func eachStatement(sql string, ok func(word string) bool) bool {
	for _, part := range strings.Split(sql, ";") {
		part, known := skipComments(part)
		if !known {
			return false
		}
		if part == "" {
			continue
		}
		word, rest := firstWord(part)
		if word == "alter" {
			second, _ := firstWord(strings.TrimLeft(rest, " \t\r\n"))
			word += " " + second
		}
		if !ok(word) {
			return false
		}
	}
	return true
}

func firstWord(s string) (word, rest string) {
	end := 0
	for end < len(s) && wordByte(s[end]) {
		end++
	}
	return strings.ToLower(s[:end]), s[end:]
}

// skipComments takes blanks and comments off the front. It reports false for comments that the dialects end at different places: nested ones, and
// line comments that a backslash continues.
func skipComments(s string) (string, bool) {
	for {
		s = strings.TrimLeft(s, " \t\r\n\f\v")
		switch {
		case strings.HasPrefix(s, "--"):
			end := strings.IndexAny(s, "\r\n")
			if end < 0 {
				return "", true
			}
			if strings.HasSuffix(s[:end], "\\") || s[end] == '\r' && !strings.HasPrefix(s[end:], "\r\n") {
				return "", false
			}
			s = s[end:]
		case strings.HasPrefix(s, "/*"):
			end := strings.Index(s[2:], "*/")
			if end < 0 || strings.Contains(s[2:2+end], "/*") {
				return "", false
			}
			s = s[2+end+2:]
		default:
			return s, true
		}
	}
}
