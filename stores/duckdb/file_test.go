//go:build cgo

package duckdb

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	driverduckdb "github.com/duckdb/duckdb-go/v2"

	"hodor/stores"
	"hodor/stores/sqlstore"
)

var scope = stores.Scope{Project: "shop", Target: "dev"}

// TestMain lets the tests start this binary as another process that works on a file: HODOR_TEST_CHILD holds what it does.
func TestMain(m *testing.M) {
	if do := os.Getenv("HODOR_TEST_CHILD"); do != "" {
		if err := child(do, os.Args[1]); err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestPathOfHomeFolder(t *testing.T) {
	t.Setenv("HOME", "/home/ann")
	for in, want := range map[string]string{"~/x.duckdb": "/home/ann/x.duckdb", "~x": "/shop/~x", "~": "/shop/~", "a/~/x": "/shop/a/~/x"} {
		if _, got, err := (Options{Root: "/shop", Path: in}).fill(); err != nil || got != want {
			t.Errorf("%s is %s (%v), want %s", in, got, err, want)
		}
	}
	t.Setenv("HOME", "")
	if _, got, err := (Options{Root: "/shop", Path: "~/x.duckdb"}).fill(); !errors.Is(err, stores.ErrUnavailable) {
		t.Errorf("without a home folder it is %s, %v", got, err)
	}
}

// child works on the file at path and says "ready" when it has done so, then waits for the end of its input.
//
//	hold, hold-read   keep the file open for writing or reading
//	append            append 300 records in 3 batches and leave the log of the file as it is, to be killed
//	write             append 250 records in 5 batches, close, and end
func child(do, path string) error {
	ctx := context.Background()
	f := fileOf(path)
	switch do {
	case "hold", "hold-read":
		if err := f.attach(ctx, do == "hold"); err != nil {
			return err
		}
	case "write":
		s, err := Open(Options{Path: path, Wait: time.Minute})
		if err != nil {
			return err
		}
		for i := range int64(5) {
			list := samples(i)[:50]
			for j := range list {
				list[j].RecordID += strconv.Itoa(os.Getpid())
			}
			if err := s.Append(ctx, list); err != nil {
				return err
			}
		}
		return s.Close()
	case "append":
		s, err := Open(Options{Path: path})
		if err != nil {
			return err
		}
		for i := range int64(3) {
			if err := s.Append(ctx, samples(i)[:100]); err != nil {
				return err
			}
		}
		if f.conn == nil {
			return errors.New("the file is closed: there is no log to be left behind")
		}
		f.lock <- struct{}{} // the linger must not close it before the kill
	}
	fmt.Println("ready")
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

// start starts a child and waits until it is ready. end lets it go on to its end; kill is kill -9.
func start(t *testing.T, do, path string) (cmd *exec.Cmd, end func()) {
	t.Helper()
	cmd = exec.Command(os.Args[0], path)
	cmd.Env = append(os.Environ(), "HODOR_TEST_CHILD="+do)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if line != "ready\n" {
		t.Fatalf("the other process said %q, %v", line, err)
	}
	return cmd, func() { _ = in.Close(); _ = cmd.Wait() }
}

func store(t *testing.T, o Options) *sqlstore.Store {
	t.Helper()
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// written is a file with one record.
func written(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.duckdb")
	s := store(t, Options{Path: path})
	if err := s.Append(context.Background(), []stores.Record{sample(0, 0)}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestOperations27Locked: Another process holds the file: the error names it and wraps ErrUnavailable, after a bounded wait; later
// operations do not wait again; once the file is free the store works.
func TestOperations27Locked(t *testing.T) {
	path := written(t)
	ctx := context.Background()
	cmd, end := start(t, "hold", path)
	s := store(t, Options{Path: path, Wait: 50 * time.Millisecond})
	check := func(err error) {
		t.Helper()
		if !errors.Is(err, stores.ErrUnavailable) || !strings.Contains(err.Error(), "locked by process "+strconv.Itoa(cmd.Process.Pid)) ||
			!strings.Contains(err.Error(), "state.duckdb") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v", err)
		}
	}
	l, err := s.Load(ctx, scope, 0)
	check(err)
	if l != nil {
		t.Errorf("Load returned %v", l)
	}
	check(s.Append(ctx, []stores.Record{sample(1, 1)}))
	patient := store(t, Options{Path: path, Wait: time.Hour})
	short, cancel := context.WithTimeout(ctx, 30*time.Millisecond)
	defer cancel()
	if _, err := patient.Load(short, scope, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the caller's time is over: %v", err)
	}
	end()
	if err := s.Append(ctx, []stores.Record{sample(1, 1)}); err != nil {
		t.Errorf("after the lock is gone: %v", err)
	}
	if l, err := s.Load(ctx, scope, 0); err != nil || len(l.Records) != 2 {
		t.Errorf("after the lock is gone: %v, %v", l, err)
	}
}

// TestWaits: the lock goes away during the wait.
func TestWaits(t *testing.T) {
	path := written(t)
	_, end := start(t, "hold", path)
	s := store(t, Options{Path: path, Wait: time.Hour})
	got := make(chan error)
	go func() {
		_, err := s.Load(context.Background(), scope, 0)
		got <- err
	}()
	select {
	case err := <-got:
		t.Errorf("did not wait: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	end()
	if err := <-got; err != nil {
		t.Error(err)
	}
}

// TestReaders: while others only read, reading works and writing waits.
func TestReaders(t *testing.T) {
	path := written(t)
	_, end := start(t, "hold-read", path)
	s := store(t, Options{Path: path, Wait: 20 * time.Millisecond})
	if l, err := s.Load(context.Background(), scope, 0); err != nil || len(l.Records) != 1 {
		t.Errorf("Load: %v, %v", l, err)
	}
	if err := s.Append(context.Background(), []stores.Record{sample(1, 1)}); !errors.Is(err, stores.ErrUnavailable) {
		t.Errorf("Append: %v", err)
	}
	end()
	if err := s.Append(context.Background(), []stores.Record{sample(1, 1)}); err != nil {
		t.Errorf("Append: %v", err)
	}
}

// TestOperations28GivenBack: Between operations the file is free for others: at once after reading, soon after writing, though the
// store stays open.
func TestOperations28GivenBack(t *testing.T) {
	path := written(t)
	s := store(t, Options{Path: path})
	ctx := context.Background()
	if _, err := s.Load(ctx, scope, 0); err != nil {
		t.Fatal(err)
	}
	if f := fileOf(path); f.conn != nil {
		t.Error("the file is still open after reading")
	}
	if err := s.Append(ctx, []stores.Record{sample(1, 1)}); err != nil {
		t.Fatal(err)
	}
	other := store(t, Options{Path: path}) // in this process: shares what is open
	if l, err := other.Load(ctx, scope, 0); err != nil || len(l.Records) != 2 {
		t.Errorf("%v, %v", l, err)
	}
	f := fileOf(path)
	for open := true; open; time.Sleep(10 * time.Millisecond) { // ends by the test's own deadline if never given back
		f.lock <- struct{}{}
		open = f.conn != nil
		f.release()
	}
	_, end := start(t, "hold", path) // another process gets it
	end()
	// A burst that goes on and on gives others their turn.
	f.lock <- struct{}{}
	err := f.attach(ctx, true)
	f.since = f.since.Add(-2 * maxHold)
	f.release()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Append(ctx, []stores.Record{sample(2, 2)}); err != nil {
		t.Fatal(err)
	}
	if f.conn != nil || f.resting.IsZero() {
		t.Error("a long burst keeps the file")
	}
	if err := s.Append(ctx, []stores.Record{sample(3, 3)}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if f.conn != nil || f.engine != nil {
		t.Error("the file is still open after Close")
	}
	if _, err := s.Load(ctx, scope, 0); !errors.Is(err, stores.ErrUnavailable) {
		t.Errorf("Load after Close: %v", err)
	}
	if l, err := other.Load(ctx, scope, 0); err != nil || len(l.Records) != 4 {
		t.Errorf("the other store: %v, %v", l, err)
	}
}

// TestCrash: a process is killed between two batches, its log not yet written back. What was appended is there, for a reader too.
func TestCrash(t *testing.T) {
	for _, readOnly := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), ".hodor", "state.duckdb")
		cmd, _ := start(t, "append", path)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if _, err := os.Stat(path + ".wal"); err != nil {
			t.Fatalf("the crash left no log: %v", err)
		}
		s := store(t, Options{Path: path, ReadOnly: readOnly})
		h, err := s.History(context.Background(), scope, stores.Query{})
		if err != nil || len(h) != 300 {
			t.Errorf("read only %v: %d records, %v", readOnly, len(h), err)
		}
		if l, err := s.Load(context.Background(), scope, 0); err != nil || len(l.Records) != 100 || l.Rejected != 0 {
			t.Errorf("read only %v: %v, %v", readOnly, l, err)
		}
		if readOnly {
			continue
		}
		if err := s.Append(context.Background(), samples(4)[:100]); err != nil {
			t.Error(err)
		}
	}
}

// TestBroken: a file that is no database, is cut short, or is a folder is unavailable; it is left as it is.
func TestBroken(t *testing.T) {
	whole, err := os.ReadFile(written(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"empty": {}, "text": []byte(strings.Repeat("no database ", 2000)), "short": whole[:len(whole)/3], "header": whole[:4096],
	} {
		path := filepath.Join(t.TempDir(), name+".duckdb")
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		s := store(t, Options{Path: path})
		l, err := s.Load(context.Background(), scope, 0)
		if !errors.Is(err, stores.ErrUnavailable) || l != nil || !strings.Contains(err.Error(), "set HODOR_PATH") {
			t.Errorf("%s: Load gives %v, %v", name, l, err)
		}
		if err := s.Append(context.Background(), []stores.Record{sample(1, 1)}); !errors.Is(err, stores.ErrUnavailable) {
			t.Errorf("%s: Append: %v", name, err)
		}
		if now, err := os.ReadFile(path); err != nil || string(now) != string(content) {
			t.Errorf("%s: the file was changed, %v", name, err)
		}
	}
	if _, err := store(t, Options{Path: t.TempDir()}).Load(context.Background(), scope, 0); !errors.Is(err, stores.ErrUnavailable) {
		t.Errorf("a folder: %v", err)
	}
}

// TestScribbled damages one place of the file after the other. Loading must give an error, nothing, or the very record that was written.
func TestScribbled(t *testing.T) {
	whole, err := os.ReadFile(written(t))
	if err != nil {
		t.Fatal(err)
	}
	one := sample(0, 0)
	want := one.Sum()
	errs := 0
	for at := 0; at < len(whole); at += 16384 {
		path := filepath.Join(t.TempDir(), "state.duckdb")
		content := append([]byte{}, whole...)
		for i := at; i < min(at+64, len(content)); i++ {
			content[i] ^= 0x55
		}
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		l, err := store(t, Options{Path: path}).Load(context.Background(), scope, 0)
		if err != nil {
			errs++
			continue
		}
		for _, r := range l.Records {
			if r.Sum() != want {
				t.Errorf("damage at %d: another record: %+v", at, r)
			}
		}
	}
	if errs == 0 {
		t.Error("no damage was noticed")
	}
}

// TestCompressed: a file with columns in FSST, as earlier releases wrote some, is read and written further, though nothing is written that way.
func TestCompressed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.duckdb")
	write := func(records []stores.Record) {
		t.Helper()
		s := store(t, Options{Path: path})
		if err := errors.Join(s.Append(context.Background(), records), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
	write(samples(1)[:3000])
	c, err := driverduckdb.NewConnector(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(c)
	for _, statement := range []string{
		"SET force_compression = 'fsst'", "CREATE TABLE old AS FROM hodor_state", "DROP TABLE hodor_state", "ALTER TABLE old RENAME TO hodor_state", "CHECKPOINT",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	written := 0
	const count = "SELECT count(*) FROM pragma_storage_info('hodor_state') WHERE compression = 'FSST'"
	if err := errors.Join(db.QueryRow(count).Scan(&written), db.Close()); err != nil || written == 0 {
		t.Fatalf("%d segments in FSST, %v", written, err)
	}
	for _, n := range []int{3000, 3500} {
		l, err := store(t, Options{Path: path}).Load(context.Background(), scope, 0)
		if err != nil || len(l.Records) != n || l.Rejected != 0 {
			t.Fatalf("%d records of %d, %v", len(l.Records), n, err)
		}
		write(samples(1)[n : n+500])
	}
	engine, err := startEngine()
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	var without string
	if err := engine.QueryRow("SELECT current_setting('disabled_compression_methods')").Scan(&without); err != nil || !strings.EqualFold(without, "fsst") {
		t.Errorf("written without %q, %v", without, err)
	}
}

// TestNamedAsFiles: a table whose name ends as those of files that DuckDB reads is a table all the same, and is not there before the first write.
func TestNamedAsFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("hodor.main.csv", []byte("a,b\n1,2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "state.duckdb")
	for _, name := range []string{"hodor_state", "csv", "CSV", "parquet", "with-dash"} {
		s := store(t, Options{Path: path, Table: name})
		if l, err := s.Load(context.Background(), scope, 0); err != nil || len(l.Records) != 0 && name != "CSV" {
			t.Errorf("%s before the first write: %d records, %v", name, len(l.Records), err)
		}
		if err := s.Append(context.Background(), samples(1)[:2]); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if l, err := s.Load(context.Background(), scope, 0); err != nil || len(l.Records) != 2 {
			t.Errorf("%s: %d records, %v", name, len(l.Records), err)
		}
	}
}

// TestPaths: where the file is, and which paths are refused.
func TestPaths(t *testing.T) {
	root := t.TempDir()
	ctx := context.Background()
	for _, c := range []struct{ path, file string }{
		{"", ".hodor/state.duckdb"}, {"deep/er/x.db", "deep/er/x.db"}, {"md:state", "md:state"}, {":memory:", ":memory:"}, {"s3://b/x", "s3:/b/x"},
		{"a b/ü'\";#%20/x", "a b/ü'\";#%20/x"},
	} {
		s := store(t, Options{Root: root, Path: c.path})
		if l, err := s.Load(ctx, scope, 0); err != nil || len(l.Records) != 0 {
			t.Errorf("%q: Load: %v, %v", c.path, l, err)
		}
		if _, err := os.Stat(filepath.Join(root, c.file)); err == nil {
			t.Errorf("%q: reading has made the file", c.path)
		}
		if err := s.Append(ctx, []stores.Record{sample(1, 1)}); err != nil {
			t.Errorf("%q: %v", c.path, err)
		}
		if _, err := os.Stat(filepath.Join(root, c.file)); err != nil {
			t.Errorf("%q: %v", c.path, err)
		}
	}
	for _, o := range []Options{{Path: "x.db"}, {Path: "x.db", Root: "relative"}, {Path: "/tmp/a?b/x.db"}, {Path: "/tmp/a\x00b"}} {
		if s, err := Open(o); err == nil || !errors.Is(err, stores.ErrUnavailable) {
			t.Errorf("%+v: %v, %v", o, s, err)
		}
	}
	blocked := filepath.Join(root, "file")
	if err := os.WriteFile(blocked, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := store(t, Options{Path: filepath.Join(blocked, "x.db")}).Append(ctx, []stores.Record{sample(1, 1)}); !errors.Is(err, stores.ErrUnavailable) {
		t.Errorf("a file in the way of a folder: %v", err)
	}
	link := filepath.Join(root, "link")
	if err := os.Symlink(filepath.Join(root, "deep"), link); err == nil && fileOf(filepath.Join(link, "new", "x.db")) != fileOf(filepath.Join(root, "deep", "new", "x.db")) {
		t.Error("one file by two paths is taken for two")
	}
}

// TestManyProcesses: several processes append to one file at the same time; nothing is lost.
func TestManyProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.duckdb")
	var ends []func()
	for range 3 {
		cmd := exec.Command(os.Args[0], path)
		cmd.Env = append(os.Environ(), "HODOR_TEST_CHILD=write")
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, func() {
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	for _, end := range ends {
		end()
	}
	h, err := store(t, Options{Path: path}).History(context.Background(), scope, stores.Query{})
	if err != nil || len(h) != 3*5*50 {
		t.Errorf("%d records, %v", len(h), err)
	}
}

// A reader that holds the file lets other readers in, keeps writers out until it ends, and can still write itself.
func TestHold(t *testing.T) {
	path := written(t)
	ctx := context.Background()
	s := store(t, Options{Path: path, Hold: true})
	if l, err := s.Load(ctx, scope, 0); err != nil || len(l.Records) != 1 {
		t.Fatalf("%v, %v", l, err)
	}
	if f := fileOf(path); f.conn == nil || f.writes {
		t.Error("the file is not held")
	}
	_, end := start(t, "hold-read", path)
	end()
	if err := s.Append(ctx, []stores.Record{sample(1, 1)}); err != nil {
		t.Fatal(err)
	}
	if l, err := s.Load(ctx, scope, 0); err != nil || len(l.Records) != 2 {
		t.Fatalf("%v, %v", l, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, end = start(t, "hold", path)
	end()
}
