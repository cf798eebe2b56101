package project

import "strings"

// template is what a Jinja text mentions, found by the words of its code alone: a word in a string counts too. That finds too much and never too
// little, which costs a build at worst.
type template struct {
	words map[string]bool
	// computedNames: the text looks macros up under names that it makes up (context[...], dispatch of a variable).
	computedNames bool
	reads         reads
}

// reads is what a text takes from dbt's context besides its arguments (S21).
type reads struct {
	vars, target, flags, graph, selected bool
	// threads: target.threads, or the target as a whole.
	threads bool
	// allEnv: env_var with a computed name. env: the names given as literals.
	allEnv bool
	env    map[string]bool
	// model and config: the node's attributes or keys read by name; all when the object itself is handed on.
	model, config       map[string]bool
	allModel, allConfig bool
	// columnMeta: the meta of columns (set by the node's configuration, not by a text).
	columnMeta bool
}

func (r *reads) merge(o reads) {
	r.vars = r.vars || o.vars
	r.target = r.target || o.target
	r.threads = r.threads || o.threads
	r.flags = r.flags || o.flags
	r.graph = r.graph || o.graph
	r.selected = r.selected || o.selected
	r.allEnv = r.allEnv || o.allEnv
	r.allModel = r.allModel || o.allModel
	r.allConfig = r.allConfig || o.allConfig
	addAll(&r.env, o.env)
	addAll(&r.model, o.model)
	addAll(&r.config, o.config)
}

func addAll(to *map[string]bool, from map[string]bool) {
	for k := range from {
		addTo(to, k)
	}
}

func addTo(to *map[string]bool, key string) {
	if *to == nil {
		*to = map[string]bool{}
	}
	(*to)[key] = true
}

// hasJinja tells whether dbt would render the text to something else.
func hasJinja(s string) bool {
	return strings.Contains(s, "{{") || strings.Contains(s, "{%") || strings.Contains(s, "{#")
}

// scanTemplate reads the words of a text's code.
func scanTemplate(text string) template {
	t := template{words: map[string]bool{}}
	text = code(text)
	for i := 0; i < len(text); {
		if !wordStart(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && wordByte(text[i]) {
			i++
		}
		w, rest := text[start:i], text[i:]
		t.words[w] = true
		switch w {
		case "var":
			t.reads.vars = true
		case "env_var":
			if name, ok := literalAfter(rest, '('); ok {
				addTo(&t.reads.env, name)
			} else {
				t.reads.allEnv = true
			}
		case "target":
			t.reads.target = true
			name, ok := member(rest, "get")
			t.reads.threads = t.reads.threads || !ok || name == "threads"
		case "flags":
			t.reads.flags = true
		case "invocation_args_dict":
			t.reads.flags, t.reads.vars = true, true
		case "dbt_metadata_envs":
			t.reads.allEnv = true
		case "graph":
			t.reads.graph = true
		case "selected_resources":
			t.reads.selected = true
		case "model":
			if name, ok := member(rest, "get"); ok {
				addTo(&t.reads.model, name)
			} else {
				t.reads.allModel = true
			}
		case "config":
			t.config(rest)
		case "context":
			t.computedNames, t.reads.allEnv, t.reads.allModel, t.reads.allConfig = true, true, true, true
			t.reads.vars, t.reads.target, t.reads.flags, t.reads.graph, t.reads.threads = true, true, true, true, true
		case "dispatch":
			if _, ok := literalAfter(rest, '('); !ok {
				t.computedNames = true
			}
		}
	}
	return t
}

// config notes what is read of the config object: a key by name, or all of it.
func (t *template) config(rest string) {
	if s := strings.TrimLeft(rest, " \t\r\n"); strings.HasPrefix(s, "(") {
		return // setting, which does nothing while a node runs
	}
	name, ok := member(rest, "get", "require")
	switch {
	case !ok:
		t.reads.allConfig = true
	case name == "meta_get" || name == "meta_require":
		addTo(&t.reads.config, "meta")
	case name == "persist_relation_docs" || name == "persist_column_docs":
		addTo(&t.reads.config, "persist_docs")
	case name == "model":
		t.reads.allModel, t.reads.allConfig = true, true
	case name == "set":
	default:
		addTo(&t.reads.config, name)
	}
}

// member reads what is taken of an object by the text that follows its name: .key, ['key'], or .get('key') for the getters named. It
// reports false for anything else, also for a getter with a computed key.
func member(rest string, getters ...string) (string, bool) {
	if name, ok := literalAfter(rest, '['); ok {
		return name, true
	}
	s := strings.TrimLeft(rest, " \t\r\n")
	if !strings.HasPrefix(s, ".") {
		return "", false
	}
	s = strings.TrimLeft(s[1:], " \t\r\n")
	end := 0
	for end < len(s) && wordByte(s[end]) {
		end++
	}
	if end == 0 {
		return "", false
	}
	for _, g := range getters {
		if s[:end] == g {
			return literalAfter(s[end:], '(')
		}
	}
	return s[:end], true
}

// literalAfter reads ('name' or ["name"]: an opening byte, then a plain string literal that a comma or the closing byte follows.
func literalAfter(s string, open byte) (string, bool) {
	s = strings.TrimLeft(s, " \t\r\n")
	if s == "" || s[0] != open {
		return "", false
	}
	s = strings.TrimLeft(s[1:], " \t\r\n")
	if s == "" || s[0] != '\'' && s[0] != '"' {
		return "", false
	}
	end := strings.IndexByte(s[1:], s[0])
	if end < 0 || strings.IndexByte(s[1:end+1], '\\') >= 0 {
		return "", false
	}
	after := strings.TrimLeft(s[end+2:], " \t\r\n")
	if after == "" || after[0] != ',' && after[0] != ')' && after[0] != ']' {
		return "", false
	}
	return s[1 : end+1], true
}

// code returns the parts of a template between {{ }} and {% %}, which alone can read the context, with blanks between them. Where the borders are
// not sure ({% raw %}, something left open) it returns the whole text.
func code(s string) string {
	if strings.Contains(s, "raw") {
		return s
	}
	var b strings.Builder
	for rest := s; ; {
		i := strings.IndexByte(rest, '{')
		if i < 0 || i+1 >= len(rest) {
			return b.String()
		}
		rest = rest[i+1:]
		var end int
		switch rest[0] {
		case '#':
			if end = strings.Index(rest[1:], "#}"); end < 0 {
				return s
			}
			rest = rest[1+end+2:]
			continue
		case '{':
			end = codeEnd(rest[1:], '}')
		case '%':
			end = codeEnd(rest[1:], '%')
		default:
			continue
		}
		if end < 0 {
			return s
		}
		b.WriteString(rest[1 : 1+end])
		b.WriteByte('\n')
		rest = rest[1+end+2:]
	}
}

// codeEnd returns the place of the tag (first, then a brace) that closes a piece of code, strings skipped; -1 if there is none. Braces of a mapping
// are counted, since {{ {'a': {}} }} is one piece.
func codeEnd(s string, first byte) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\'' || c == '"':
			j := i + 1
			for j < len(s) && s[j] != c {
				if s[j] == '\\' {
					j++
				}
				j++
			}
			if j >= len(s) {
				return -1
			}
			i = j
		case c == first && depth == 0 && i+1 < len(s) && s[i+1] == '}':
			return i
		case c == '{':
			depth++
		case c == '}':
			depth--
		}
	}
	return -1
}

func wordStart(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}
func wordByte(c byte) bool { return wordStart(c) || '0' <= c && c <= '9' }
