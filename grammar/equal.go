package grammar

import "reflect"

// Equal reports whether two trees are the same but for their places in the text and the way their names were quoted. (A
// name in an IDENTIFIER clause is another tree than the plain name: its string may have dots.)
func Equal(a, b Node) bool { return equalValue(reflect.ValueOf(a), reflect.ValueOf(b)) }

var (
	spanType  = reflect.TypeFor[Span]()
	identType = reflect.TypeFor[Ident]()
	fileType  = reflect.TypeFor[File]()
)

func equalValue(a, b reflect.Value) bool {
	if !a.IsValid() || !b.IsValid() {
		return a.IsValid() == b.IsValid()
	}
	if a.Type() != b.Type() {
		return false
	}
	switch a.Kind() {
	case reflect.Interface, reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return equalValue(a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !equalValue(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		return equalStruct(a, b)
	}
	return a.Interface() == b.Interface()
}

func equalStruct(a, b reflect.Value) bool {
	switch a.Type() {
	case spanType:
		return true
	case identType:
		x, y := a.Interface().(Ident), b.Interface().(Ident)
		return x.Text == y.Text && (x.Quote == ClauseQuote) == (y.Quote == ClauseQuote)
	case fileType:
		return equalValue(a.FieldByName("Statements"), b.FieldByName("Statements"))
	}
	for i := range a.NumField() {
		if a.Type().Field(i).IsExported() && !equalValue(a.Field(i), b.Field(i)) {
			return false
		}
	}
	return true
}
