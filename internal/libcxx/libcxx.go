//go:build cgo && linux

package libcxx

import "C"
