package dbt

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hodor/executor"
)

// launcher runs dbt with the arguments that it reads from standard input, where a command line would be too long.
const launcher = "import json, sys; sys.argv = ['dbt'] + json.load(sys.stdin); from dbt.cli.main import cli; sys.exit(cli())"

// ended is how a dbt process ended.
type ended struct {
	exit         int
	interrupted  bool
	killed       bool // by a signal that was not ours
	invocationID string
	startedAt    string
	words        string
	command      string
}

// start runs dbt once and waits for its end. The error is an executor.Error with code NotStarted if it never began or is of an unknown version.
func (e *Executor) start(ctx context.Context, args []string, c *console) (ended, error) {
	path, err := e.find()
	if err != nil {
		return ended{}, err
	}
	line := "dbt " + shorten(args)
	cmd, err := e.command(path, args)
	if err != nil {
		return ended{}, err
	}
	ownGroup(cmd)
	cmd.Env = e.env
	// Whoever inherits the pipes from dbt must not keep us waiting.
	cmd.WaitDelay = 5 * time.Second
	var wrong atomic.Pointer[string]
	c.mismatch = func(version string) {
		if wrong.CompareAndSwap(nil, &version) {
			kill(cmd)
		}
	}
	out := &lines{each: c.stdout}
	errs := &lines{each: func(line []byte) { c.text(string(line)) }}
	cmd.Stdout, cmd.Stderr = out, errs
	if ctx.Err() != nil {
		return ended{}, &executor.Error{Code: executor.NotStarted, Text: "stopped before dbt was started", Err: ctx.Err()}
	}
	if err := cmd.Start(); err != nil {
		return ended{}, &executor.Error{Code: executor.NotStarted, Text: "dbt can't be started", Hint: "name it with --dbt", Err: err}
	}
	stopped := e.watch(ctx, cmd)
	err = cmd.Wait()
	kill(cmd) // what is left of its group
	interrupted := stopped()
	for _, l := range []*lines{out, errs} {
		if rest := l.close(); len(rest) > 0 {
			c.text(string(rest)) // cut off, so no event
		}
	}
	if v := wrong.Load(); v != nil {
		return ended{}, &executor.Error{Code: executor.NotStarted, Text: path + " is dbt " + *v + ", which is not known", Hint: "dbt-core 1.12 is needed; name another one with --dbt"}
	}
	c.mu.Lock()
	end := ended{interrupted: interrupted, invocationID: c.invocationID, startedAt: c.startedAt, command: line}
	c.mu.Unlock()
	end.words = c.words()
	var failed *exec.ExitError
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
	case errors.As(err, &failed):
		if end.exit = failed.ExitCode(); end.exit < 0 {
			end.killed = !interrupted
		}
	default:
		return end, &executor.Error{Code: executor.Unreadable, Text: "dbt could not be waited for", Err: err}
	}
	return end, nil
}

// watch stops the process when ctx ends: first as Ctrl-C would, and once Grace has passed for good. The function that it returns ends the watch and
// tells whether it had to.
func (e *Executor) watch(ctx context.Context, cmd *exec.Cmd) func() bool {
	done := make(chan struct{})
	var wg sync.WaitGroup
	hit := false
	wg.Go(func() {
		select {
		case <-done:
			return
		case <-ctx.Done():
		}
		hit = true
		interrupt(cmd)
		select {
		case <-done:
		case <-time.After(e.opt.Grace):
			kill(cmd)
		}
	})
	return func() bool { close(done); wg.Wait(); return hit }
}

// find returns the path of dbt.
func (e *Executor) find() (string, error) {
	name := e.opt.DBT
	if name == "" {
		name = "dbt"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", &executor.Error{Code: executor.NotStarted, Text: "dbt was not found", Hint: "activate the environment that it is installed in, or name it with --dbt PATH", Err: err}
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return path, nil
}

// command makes the process; a command line that is too long goes through the launcher.
func (e *Executor) command(path string, args []string) (*exec.Cmd, error) {
	size := len(path)
	for _, a := range args {
		size += len(a) + 3
	}
	if size <= maxCommandLine {
		return exec.Command(path, args...), nil
	}
	python, err := pythonOf(path)
	if err != nil {
		return nil, &executor.Error{Code: executor.NotStarted, Text: "the selection is too long for a command line, and the Python of dbt was not found", Hint: "select fewer nodes, or name with --dbt the script dbt of a Python environment", Err: err}
	}
	in, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(python, "-c", launcher)
	cmd.Stdin = strings.NewReader(string(in))
	return cmd, nil
}

// pythonOf returns the interpreter of a console script: that of its first line, else the one beside it.
func pythonOf(script string) (string, error) {
	if f, err := os.Open(script); err == nil {
		first, _ := bufio.NewReader(f).ReadString('\n')
		f.Close()
		if name, ok := strings.CutPrefix(strings.TrimSpace(first), "#!"); ok && strings.Contains(filepath.Base(name), "python") && !strings.Contains(name, " ") {
			return name, nil
		}
	}
	for _, name := range []string{"python3", "python", "python.exe"} {
		for _, dir := range []string{filepath.Dir(script), filepath.Dir(filepath.Dir(script))} {
			if path := filepath.Join(dir, name); isFile(path) {
				return path, nil
			}
		}
	}
	return "", errors.New("there is none beside " + script)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// shorten prints a command line for people. Values of --vars are left out: they may be secret.
func shorten(args []string) string {
	const most = 30
	var words []string
	for i := 0; i < len(args); i++ {
		words = append(words, args[i])
		if args[i] == "--vars" && i+1 < len(args) {
			words = append(words, "...")
			i++
		}
	}
	if n := len(words); n > most {
		words = append(words[:most:most], "...")
	}
	return strings.Join(words, " ")
}
