package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"sync"

	"hodor/protocol"
	"hodor/stores/postgres"
	"hodor/warehouse"
)

// lentVariable names the two pipes over which dbt-hodor lends dbt's connection, as "<read>:<write>": the numbers of inherited file descriptors.
const lentVariable = "HODOR_RELAY"

// lent is dbt's connection, lent by the process that started this one (plugin/src/dbt_hodor/cli.py). It answers warehouse/query and
// lakebase/credential as in a run.
type lent struct{ conn *protocol.Conn }

var borrow = sync.OnceValues(func() (*lent, error) {
	var in, out uintptr
	text := os.Getenv(lentVariable)
	if text == "" {
		return nil, nil
	}
	if n, err := fmt.Sscanf(text, "%d:%d", &in, &out); n != 2 || err != nil {
		return nil, usage("%s is %q; dbt-hodor sets it, leave it alone", lentVariable, text)
	}
	conn := protocol.New(os.NewFile(in, "relay"), os.NewFile(out, "relay"), nil, protocol.Options{Log: log.New(io.Discard, "", 0)})
	go func() { _ = conn.Serve(context.Background()) }()
	return &lent{conn}, nil
})

// host is dbt's connection as the relay's driver takes it.
func (l *lent) host() warehouse.Host { return host{l.conn} }

// login asks for the login to a Lakebase endpoint.
func (l *lent) login(ctx context.Context, endpoint string) (postgres.Login, error) {
	return (&service{conn: l.conn}).login(ctx, endpoint)
}
