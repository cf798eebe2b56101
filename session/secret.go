package session

import (
	"regexp"

	"hodor/normalize"
)

// credentials are the parts of a URL that open it: user and password before the host, and everything behind the question mark (signatures, keys).
var credentials = regexp.MustCompile(`(://)[^/?#]*@|(\?)[^'` + "`" + `]*`)

// normalized is the analysis of a text, fit to be kept: what opens a URL in it is left out of its paths, which stand in records and are named in
// reasons. A path of a Delta table is a name in SQL and stays: no signature fits into one.
func (s *Session) normalized(sql string) normalize.Result {
	r := s.normalize(sql, s.options())
	for i, path := range r.Facts.Paths {
		r.Facts.Paths[i] = publicPath(path)
	}
	return r
}

func publicPath(path string) string {
	if !isURL.MatchString(path) {
		return path
	}
	return credentials.ReplaceAllString(path, "$1$2...")
}

var isURL = regexp.MustCompile(`^'\w+://`)
