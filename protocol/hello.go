package protocol

import "fmt"

// Hello is the parameters of the service's first line.
type Hello struct {
	Protocol    int      `json:"protocol"`
	Version     string   `json:"version"`
	HashVersion string   `json:"hash_version"`
	PID         int      `json:"pid"`
	Methods     []string `json:"methods"`
}

// Methods are the methods of the service, in the order of a run.
var Methods = []string{"run/start", "node/decide", "node/built", "node/tested", "run/finish", "shutdown"}

// CheckHost compares the version that the host says it is with the service's own. An empty host version is a host that did not say: it can't
// be served either, since nobody checked.
func CheckHost(own, host, path string) error {
	switch host {
	case own:
		return nil
	case "":
		return fmt.Errorf("hodor-sql %s (%s) was started without --host-version; only the dbt plugin starts it", own, path)
	}
	return fmt.Errorf("the dbt plugin is version %s, hodor-sql (%s) is %s; install both from one wheel, or unset HODOR_BINARY", host, path, own)
}
