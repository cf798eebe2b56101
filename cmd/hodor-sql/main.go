package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	_ "hodor/internal/libcxx"
)

func main() {
	os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// run executes one command line and returns the exit status. It is main without the process, for tests.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	app := newApp(name(args), stdin, stdout, stderr)
	err := app.Run(optionsFirst(app.Commands, args))
	if err == nil {
		return statusDone
	}
	if text := err.Error(); text != "" {
		fmt.Fprintf(stderr, "%s: %s\n", app.Name, text)
	}
	return status(err)
}

// name is the name that the user called, so that help and errors of ods and dbt-hodor say so.
func name(args []string) string {
	if len(args) > 0 {
		switch called := strings.TrimSuffix(filepath.Base(args[0]), ".exe"); called {
		case "ods", "dbt-hodor":
			return called
		}
	}
	return "hodor-sql"
}

func newApp(name string, stdin io.Reader, stdout, stderr io.Writer) *cli.App {
	app := &cli.App{
		Name:            name,
		Usage:           "decide what a dbt run can reuse, and explain why",
		HideVersion:     true,
		HideHelpCommand: true,
		Reader:          stdin,
		Writer:          stdout,
		ErrWriter:       stderr,
		Commands:        commands(),
		// A missing or unknown command ends here, since the app itself does nothing.
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usage("unknown command %q; `%s --help` lists the commands", c.Args().First(), name)
			}
			cli.HelpPrinter(stderr, cli.AppHelpTemplate, c.App)
			return usage("a command is needed")
		},
		OnUsageError: onUsageError,
		// Without this, the library would end the process itself.
		ExitErrHandler: func(*cli.Context, error) {},
	}
	for _, command := range app.Commands {
		guard(command, name)
	}
	return app
}

// commands is the command table. Each entry is made by the file that is named after it.
func commands() []*cli.Command {
	return []*cli.Command{
		normalizeCommand(),
		diffCommand(),
		benchCommand(),
		explainCommand(),
		historyCommand(),
		reportCommand(),
		pruneCommand(),
		ddlCommand(),
		doctorCommand(),
		serveCommand(),
		stateCommand(),
		completionCommand(),
		manCommand(),
		versionCommand(),
	}
}

// guard gives a command, and all below it, what the app cannot hand down: usage errors with status 2, and the program's name in the examples.
func guard(command *cli.Command, name string) {
	command.Description = strings.ReplaceAll(command.Description, "\n   hodor-sql ", "\n   "+name+" ")
	command.OnUsageError = onUsageError
	command.HideHelpCommand = true
	if command.Action == nil && len(command.Subcommands) > 0 {
		command.Action = func(c *cli.Context) error {
			if c.Args().Present() {
				return usage("%s has no command %q; `%s --help` lists them", command.Name, c.Args().First(), c.Command.HelpName)
			}
			return usage("%s needs a command; `%s --help` lists them", command.Name, c.Command.HelpName)
		}
	}
	for _, sub := range command.Subcommands {
		guard(sub, name)
	}
}

func onUsageError(c *cli.Context, err error, _ bool) error {
	help := c.App.Name
	if c.Command != nil && c.Command.HelpName != "" {
		help = c.Command.HelpName
	}
	return usage("%s; `%s --help` shows the options", err, help)
}
