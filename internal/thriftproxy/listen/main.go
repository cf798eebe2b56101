package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"

	"hodor/internal/thriftproxy"
)

func main() {
	status, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "listen:", err)
	}
	os.Exit(status)
}

func run(command []string) (int, error) {
	if len(command) == 0 {
		return 2, errors.New("which command?")
	}
	port, err := strconv.Atoi(os.Getenv("SPARKTEST_THRIFT"))
	if err != nil {
		return 1, errors.New("SPARKTEST_THRIFT is no port; run under internal/sparktest/thrift.py")
	}
	proxy, end := thriftproxy.Start(port)
	defer end()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "HODOR_DATABRICKS_URL="+proxy.URL)
	err = cmd.Run()
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return e.ExitCode(), nil
	}
	if err != nil {
		return 1, err
	}
	return 0, nil
}
