package grammar

import (
	"errors"
	"strings"
	"testing"
)

// lexed returns the tokens of sql, each with its kind's letter, blanks between; an error at the end.
func lexed(sql string, d Dialect) string {
	var out []string
	for tok, err := range Tokens(sql, d) {
		if err != nil {
			out = append(out, "!"+err.Error())
			break
		}
		out = append(out, string(" wqsnp."[tok.Kind])+":"+tok.Text)
	}
	return strings.Join(out, " ")
}

func TestTokens(t *testing.T) {
	for _, c := range []struct {
		d         Dialect
		sql, want string
	}{
		// blanks and comments
		{Databricks, "a \t\r\n\f\v b", "w:a w:b"},
		{Databricks, "a\u00a0b\u2003c\u3000d\u1680e\u2028f", "w:a w:b w:c w:d w:e w:f"},
		{DuckDB, "a\u00a0b\u200bc\ufeffd\u2060e", "w:a w:b w:c w:d w:e"},
		{DuckDB, "\ufeffselect", "w:select"},
		{Databricks, "\ufeffselect", "!1:1: the character '\\ufeff' stands outside quotes"},
		{Databricks, "a -- b\nc", "w:a w:c"},
		{Databricks, "a -- b\rc", "w:a w:c"},
		{DuckDB, "a -- b\r\nc", "w:a w:c"},
		{Databricks, "a -- b \\\nstill\nc", "w:a w:c"},
		{DuckDB, "a -- b \\\nc", "w:a w:c"},
		{Databricks, "a -- b \\\r\nc", "w:a w:c"},
		{Databricks, "a /* b /* c */ d */ e", "w:a w:e"},
		{DuckDB, "a /*+ b */ c", "w:a w:c"},
		{Databricks, "a /*+ b */ c", "w:a .:/*+ w:b .:*/ w:c"},
		{Databricks, "a /* + b */ c", "w:a w:c"},
		{DuckDB, "a /* b", "w:a !1:3: this comment has no end"},
		{Databricks, "a /* /* */", "w:a !1:3: this comment has no end"},
		{DuckDB, "a--", "w:a"},
		{DuckDB, "", ""},
		// names
		{Databricks, "1abc 2_x 1_000 _x a1", "w:1abc w:2_x w:1_000 w:_x w:a1"},
		{DuckDB, "a$b a1$ größe 日本", "w:a$b w:a1$ w:größe w:日本"},
		{Databricks, "größe", "!1:1: the name größe has characters beyond a-z, 0-9 and _; put it into back quotes"},
		{Databricks, "`a``b` `` `x.y`", "q:`a``b` q:`` q:`x.y`"},
		{DuckDB, `"a""b" "x.y"`, `q:"a""b" q:"x.y"`},
		{DuckDB, `""`, "!1:1: an empty name in quotes"},
		{DuckDB, "`a`", "!1:1: DuckDB has no back quotes; quote names with \""},
		{DuckDB, "a +`b`", "w:a !1:4: DuckDB has no back quotes; quote names with \""},
		{DuckDB, `"a`, "!1:1: this quoted name has no end"},
		// strings
		{Databricks, `'it''s' 'it\'s' "say ""x""" "a'b"`, `s:'it''s' s:'it\'s' s:"say ""x""" s:"a'b"`},
		{Databricks, `'\\' x`, `s:'\\' w:x`},
		{Databricks, `r'a\' R"b\" r 'c'`, `s:r'a\' s:R"b\" w:r s:'c'`},
		{Databricks, `e'x' b'y'`, `w:e s:'x' w:b s:'y'`},
		{DuckDB, `'a\' 'b''c'`, `s:'a\' s:'b''c'`},
		{DuckDB, `e'a\'b' E'\\'`, `s:e'a\'b' s:E'\\'`},
		{DuckDB, `x'1f' B'01' n'x' r'x'`, `s:x'1f' s:B'01' s:n'x' w:r s:'x'`},
		{DuckDB, "'a'\n'b'", "s:'a'\n'b'"},
		{DuckDB, "'a' -- c\n  'b'", "s:'a' -- c\n  'b'"},
		{DuckDB, "'a' 'b'", "s:'a' s:'b'"},
		{DuckDB, "'a' /* */\n'b'", "s:'a' s:'b'"},
		{DuckDB, "'a' -- c\n b", "s:'a' w:b"},
		{Databricks, "'a'\n'b'", "s:'a' s:'b'"},
		{DuckDB, "$$a'b$$ $t$ $$ $t$ $é$x$é$", "s:$$a'b$$ s:$t$ $$ $t$ s:$é$x$é$"},
		{Databricks, "$$a'b$$ $tag$x$tag$", "s:$$a'b$$ s:$tag$x$tag$"},
		{DuckDB, "$$a", "!1:1: this dollar-quoted string has no end"},
		{DuckDB, "u&'x'", "w:u .:& s:'x'"},
		{Databricks, "'a", "!1:1: this string has no end"},
		{DuckDB, "a\n 'b", "w:a !2:2: this string has no end"},
		{Databricks, "'a\x00b'", "!1:3: a NUL character stands here; remove it"},
		{DuckDB, "a -- \x00\n", "w:a !1:6: a NUL character stands here; remove it"},
		{DuckDB, "a \x01", "w:a !1:3: a control character (0x01) stands here; remove it"},
		{DuckDB, "'é' \xff", "!1:5: the text is not valid UTF-8 here; save the file as UTF-8"},
		// numbers
		{Databricks, "1 12L 12s 1Y 1.5 .5 5. 1e5 1.5E-3 5.e+2 1F 1.5f 1e2F 1D 1BD 1e2bd",
			"n:1 n:12L n:12s n:1Y n:1.5 n:.5 n:5. n:1e5 n:1.5E-3 n:5.e+2 n:1F n:1.5f n:1e2F n:1D n:1BD n:1e2bd"},
		{Databricks, "1e5x 12Lx 1.a t.1a t.1 1.5L 1 L", "w:1e5x w:12Lx n:1 .:. w:a w:t .:. w:1a w:t n:.1 n:1 .:. n:5L n:1 w:L"},
		{Databricks, "0x1F 1e+5 1e 1..2", "w:0x1F n:1e+5 w:1e n:1. n:.2"},
		{DuckDB, "1 1_000 1.5 .5 5. 1e5 1_0e1_0 1.e5", "n:1 n:1_000 n:1.5 n:.5 n:5. n:1e5 n:1_0e1_0 n:1.e5"},
		{DuckDB, "0x1F 1L 1.5BD 1a 1__0 1_ 1e 1..2", "n:0 w:x1F n:1 w:L n:1.5 w:BD n:1 w:a n:1 w:__0 n:1 w:_ n:1 w:e n:1 .:. n:.2"},
		// parameters
		{Databricks, "? :x", "p:? .:: w:x"},
		{DuckDB, "? ?2 $1 $name #1 ?2a", "p:? p:?2 p:$1 p:$name .:# n:1 p:?2 w:a"},
		{Databricks, "$x", "!1:1: a dollar sign stands here"},
		{DuckDB, "$", "!1:1: a dollar sign without a name or number"},
		// operators
		{Databricks, "a<=>b a<>b !> !< >>> << |> || -> => :: ?:: ==", "w:a .:<=> w:b w:a .:<> w:b .:!> .:!< .:>>> .:<< .:|> .:|| .:-> .:=> .::: .:?:: .:=="},
		{Databricks, "a=-1", "w:a .:= .:- n:1"},
		{Databricks, "a#b", "w:a !1:2: the character # stands outside quotes"},
		{DuckDB, "a=-1 a*-b a@-1 a<->b a->>b a->b", "w:a .:= .:- n:1 w:a .:* .:- w:b w:a .:@- n:1 w:a .:<-> w:b w:a .:->> w:b w:a .:-> w:b"},
		{DuckDB, "a**b a//b a==b a^@b a!~~*b a:=b a::b {a:b}", "w:a .:** w:b w:a .:// w:b w:a .:== w:b w:a .:^@ w:b w:a .:!~~* w:b w:a .::= w:b w:a .::: w:b .:{ w:a .:: w:b .:}"},
		{DuckDB, "a+--b\nc */ d", "w:a .:+ w:c .:*/ w:d"},
		{DuckDB, "a-/*b*/c", "w:a .:- w:c"},
		{DuckDB, "+-+a <+-b @+-c *+-*d", ".:+ .:- .:+ w:a .:< .:+ .:- w:b .:@+- w:c .:*+-* w:d"},
	} {
		if got := lexed(c.sql, c.d); got != c.want {
			t.Errorf("%s %q\n\tgot  %s\n\twant %s", c.d, c.sql, got, c.want)
		}
	}
}

// TestTokensOfOneTextBeforeAnError checks that what stands before an error is yielded, so that callers see where it is.
func TestTokensStopEarly(t *testing.T) {
	n := 0
	for range Tokens("a b c d", DuckDB) { //nolint:errcheck // none comes before the second
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d tokens", n)
	}
}

// TestStringValues checks that literals are decoded exactly.
func TestStringValues(t *testing.T) {
	for _, c := range []struct {
		d         Dialect
		sql, want string
		kind      StringKind
	}{
		{Databricks, `'it''s'`, "it's", 0},
		{Databricks, `'it\'s'`, "it's", 0},
		{Databricks, `"say ""x"""`, `say "x"`, 0},
		{Databricks, `'a\nb\tc\rd\be\0f\Zg'`, "a\nb\tc\rd\be\x00f\x1ag", 0},
		{Databricks, `'\u0041\U0001F600\101'`, "A\U0001F600A", 0},
		{Databricks, `'\uD83D\uDE00'`, "\U0001F600", 0},
		{Databricks, `'\u12'`, "u12", 0},
		{Databricks, `'\%\_\x\"'`, `\%\_x"`, 0},
		{Databricks, `'\201\08'`, "201\x008", 0},
		{Databricks, `r'a\nb'`, `a\nb`, 0},
		{Databricks, `R"a'b\"`, `a'b\`, 0},
		{Databricks, `'a' "b" r'\c'`, `ab\c`, 0},
		{Databricks, "'a' /* x */ 'b'", "ab", 0},
		{Databricks, "x'1aF'", "1aF", StringHex},
		{Databricks, `X "ff"`, "ff", StringHex},
		{DuckDB, `'a\nb'`, `a\nb`, 0},
		{DuckDB, `'it''s'`, "it's", 0},
		{DuckDB, `e'a\nb\tc\x41\101\'\\\q'`, "a\nb\tcAA'\\q", 0},
		{DuckDB, `e'\u0041\x'`, "Ax", 0},
		{DuckDB, "'a'\n 'b' -- c\n'd'", "abd", 0},
		{DuckDB, "e'a'\n'\\n'", "a\n", 0},
		{DuckDB, "$$a'b\\n$$", `a'b\n`, 0},
		{DuckDB, "$x$ $$ $x$", " $$ ", 0},
		{DuckDB, "x'1f'", "1f", StringHex},
		{DuckDB, "B'01'", "01", StringBit},
		{DuckDB, "N'a''b'", "a'b", StringNational},
	} {
		f, err := Parse("select "+c.sql, c.d)
		if err != nil {
			t.Errorf("%s %s: %v", c.d, c.sql, err)
			continue
		}
		x, ok := f.Statements[0].(*Query).Body.(*Select).Items[0].X.(*String)
		if !ok || x.Value != c.want || x.Kind != c.kind {
			t.Errorf("%s %s: got %#v, want %q", c.d, c.sql, x, c.want)
		}
		if got := x.Text(f.Source); got != c.sql {
			t.Errorf("%s: the span is %q", c.sql, got)
		}
		if err := checkLaws("select "+c.sql, c.d); err != nil {
			t.Error(err)
		}
	}
}

func TestNumbersKeepTheirForm(t *testing.T) {
	for _, c := range []struct {
		d            Dialect
		sql          string
		text, suffix string
		kind         NumberKind
		negative     bool
	}{
		{Databricks, "1.50BD", "1.50", "BD", NumberDecimal, false},
		{Databricks, "12l", "12", "L", NumberInteger, false},
		{Databricks, "1e2F", "1e2", "F", NumberExponent, false},
		{Databricks, "- 9223372036854775808", "9223372036854775808", "", NumberInteger, true},
		{Databricks, "5.", "5.", "", NumberDecimal, false},
		{DuckDB, "1_000.5", "1_000.5", "", NumberDecimal, false},
	} {
		f, err := Parse("select "+c.sql, c.d)
		if err != nil {
			t.Fatal(err)
		}
		x := f.Statements[0].(*Query).Body.(*Select).Items[0].X.(*Number)
		if x.Text != c.text || x.Suffix != c.suffix || x.Kind != c.kind || x.Negative != c.negative {
			t.Errorf("%s: %+v", c.sql, x)
		}
	}
}

func TestCommentsKeepTheirPlace(t *testing.T) {
	sql := "-- a\nselect /* b */ 'x' -- c\n'y' /*+ d */ from t -- e"
	f, err := Parse(sql, DuckDB)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range f.Comments {
		got = append(got, c.Span.Text(sql)+"|"+string('0'+c.Before))
	}
	want := "-- a|0 /* b */|1 -- c|1 /*+ d */|2 -- e|4"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

func TestErrorsAreTyped(t *testing.T) {
	for _, d := range []Dialect{Databricks, DuckDB} {
		for _, sql := range []string{"", " \n", "-- only a comment", "select", "select 'x", "\xff", "select \x00", "x"} {
			_, err := Parse(sql, d)
			var e *ParseError
			if !errors.As(err, &e) || e.Line < 1 || e.Column < 1 || e.Error() == "" {
				t.Errorf("%s %q: %v", d, sql, err)
			}
		}
	}
}
