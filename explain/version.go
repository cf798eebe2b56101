package explain

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"hodor/engine"
	"hodor/versions"
)

// Time writes an epoch ms as every line of hodor does; empty for 0.
func Time(ms int64) string {
	if ms == 0 {
		return ""
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04 UTC")
}

// Duration writes ms in one or two units.
func Duration(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case d < 0:
		return "-" + Duration(-ms)
	case d < time.Second:
		return fmt.Sprintf("%d ms", ms)
	case d < 90*time.Second:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", d.Seconds()), ".0") + " s"
	case d < 90*time.Minute:
		return fmt.Sprintf("%d min", int(d.Minutes()+0.5))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d days %d h", int(d.Hours())/24, int(d.Hours())%24)
}

// Count writes n with separators between thousands.
func Count(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// fingerprint is a token of package versions for a DuckDB table: release, rows, hash of the rows, hash of the columns.
var fingerprint = regexp.MustCompile(`^(v[^:@#]+):(\d+)@([0-9a-f]+)#([0-9a-f]+)$`)

// Token says in words what a data version is.
func Token(token string) string {
	if token == "" {
		return "unknown"
	}
	if definition, ok := strings.CutPrefix(token, "view:"); ok {
		return "definition " + Short(definition)
	}
	if m := fingerprint.FindStringSubmatch(token); m != nil {
		rows, _ := strconv.ParseInt(m[2], 10, 64)
		return plural(rows, "row") + ", " + Short(m[3])
	}
	if ms, ok := changedAt(token); ok {
		version, _, _ := strings.Cut(token, "@")
		return "version " + version + " of " + Time(ms)
	}
	return Short(token)
}

// Difference says in words how two data versions differ.
func Difference(then, now string) string {
	a, b := fingerprint.FindStringSubmatch(then), fingerprint.FindStringSubmatch(now)
	switch {
	case then == now && then != "":
		return "same: " + Token(now)
	case a == nil || b == nil:
		return Token(then) + " → " + Token(now)
	}
	var parts []string
	rows := func(s string) int64 { n, _ := strconv.ParseInt(s, 10, 64); return n }
	switch {
	case a[2] != b[2]:
		parts = append(parts, Count(rows(a[2]))+" → "+plural(rows(b[2]), "row"))
	case a[3] != b[3]:
		parts = append(parts, plural(rows(b[2]), "row")+" as before, other values")
	default:
		parts = append(parts, "the same "+plural(rows(b[2]), "row"))
	}
	if a[4] != b[4] {
		parts = append(parts, "other columns")
	}
	if a[1] != b[1] {
		parts = append(parts, "DuckDB "+a[1]+" → "+b[1])
	}
	return strings.Join(parts, ", ")
}

// Short is the beginning of a hash or id, enough to compare by eye.
func Short(hash string) string {
	if r := []rune(hash); len(r) > 12 {
		return string(r[:12])
	}
	return hash
}

// plural counts things: "1 row", "2,000 rows".
func plural(n int64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return Count(n) + " " + thing
}

func changedAt(token string) (int64, bool) { return versions.ChangedAt(engine.Version(token)) }
