package version

import (
	_ "embed"
	"strings"
)

//go:embed VERSION
var text string

// Commit is the source commit of this build, set by the linker (see Makefile); "unknown" when built any other way.
var Commit = "unknown"

// Protocol is the number of the wire between plugin and service (docs/protocol.md). Both sides must have the same.
const Protocol = 1

// Version returns the release, such as "0.1.0".
func Version() string { return strings.TrimSpace(text) }
