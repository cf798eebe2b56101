package stores

import (
	"fmt"
	"regexp"
)

var identifier = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]*$`)

// CheckIdentifier refuses a name that may not stand in SQL, even quoted (spec 9.2). what names the setting, e.g. "hodor_schema"; maxBytes is
// the longest name that the database keeps apart from others, 0 for no limit.
func CheckIdentifier(what, name string, maxBytes int) error {
	if !identifier.MatchString(name) {
		return fmt.Errorf("%s is %q: letters, digits, _ and - are allowed, and no - in front", what, name)
	}
	if maxBytes > 0 && len(name) > maxBytes {
		return fmt.Errorf("%s has %d characters: the database keeps at most %d", what, len(name), maxBytes)
	}
	return nil
}
