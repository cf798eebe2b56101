//go:build databricks

package thriftproxy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hodor/internal/enginetest"
	"hodor/internal/sparktest"
	"hodor/internal/thriftproxy"
)

// TestDbtDatabricks runs the tests of plugin/tests/lake: dbt-databricks, its SQL connector and this proxy in front of Spark.
func TestDbtDatabricks(t *testing.T) {
	python, err := filepath.Abs("../../.venv-databricks/bin/python")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(python); err != nil {
		enginetest.Missing(t, "%v: make test-databricks", err)
	}
	proxy := thriftproxy.New(t, sparktest.Get(t).Thrift(t))
	run := exec.Command(python, append([]string{"-m", "pytest", "-x", "tests/lake"}, strings.Fields(os.Getenv("PYTEST_FLAGS"))...)...)
	run.Dir = "../../plugin"
	run.Env = append(os.Environ(), "HODOR_DATABRICKS_URL="+proxy.URL, "HODOR_REQUIRE_ENGINES=1")
	run.Stdout, run.Stderr = os.Stdout, os.Stderr
	if err := run.Run(); err != nil {
		t.Fatal(err)
	}
	if n := len(thriftproxy.Statements(proxy.Requests())); n == 0 {
		t.Error("no statement came through the proxy")
	}
}
