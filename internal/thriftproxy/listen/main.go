package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"

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
	port, err := thriftPort(os.Getenv("SPARKTEST_ADDRESS"))
	if err != nil {
		return 1, err
	}
	proxy, end := thriftproxy.Start(port)
	defer end()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "DATABRICKS_HOST="+proxy.URL, "DATABRICKS_HTTP_PATH=/sql/1.0/warehouses/abc", "DATABRICKS_TOKEN=any")
	err = cmd.Run()
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return e.ExitCode(), nil
	}
	if err != nil {
		return 1, err
	}
	return 0, nil
}

// thriftPort asks the Spark of the tests for its Thrift Server, which it starts at the first time.
func thriftPort(address string) (int, error) {
	if address == "" {
		return 0, errors.New("SPARKTEST_ADDRESS is not set; run under internal/sparktest/server.py")
	}
	c, err := net.Dial("tcp", address)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	if _, err := fmt.Fprintln(c, "{\"session\":\"listen\"}\n{\"op\":\"thrift\"}"); err != nil {
		return 0, err
	}
	line, err := bufio.NewReader(c).ReadBytes('\n')
	if err != nil {
		return 0, err
	}
	var answer struct {
		Port  int
		Error *struct{ Message string }
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return 0, err
	}
	if answer.Error != nil {
		return 0, errors.New(answer.Error.Message)
	}
	return answer.Port, nil
}
