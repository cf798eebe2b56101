package main

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// optionsFirst puts the options of a command line before its other arguments, in their order, since the flag parser stops at the first argument
// that is none. "-" is an argument, and what stands behind "--" stays as it is.
func optionsFirst(commands []*cli.Command, args []string) []string {
	if len(args) < 2 {
		return args
	}
	at := 1
	var command *cli.Command
	for at < len(args) {
		next := named(commands, args[at])
		if next == nil {
			break
		}
		command, commands = next, next.Subcommands
		at++
	}
	if command == nil {
		return args
	}
	ordered, rest := append([]string{}, args[:at]...), []string(nil)
	for ; at < len(args); at++ {
		arg := args[at]
		if arg == "--" {
			rest = append(rest, args[at:]...)
			break
		}
		if arg == "-" || !strings.HasPrefix(arg, "-") {
			rest = append(rest, arg)
			continue
		}
		ordered = append(ordered, arg)
		if takesValue(command, arg) && at+1 < len(args) {
			at++
			ordered = append(ordered, args[at])
		}
	}
	return append(ordered, rest...)
}

func named(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

// takesValue tells whether an option's value is the next argument. An option that the command does not have takes none: it is an error anyway.
func takesValue(command *cli.Command, arg string) bool {
	name, _, given := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	if given {
		return false
	}
	for _, flag := range command.Flags {
		for _, other := range flag.Names() {
			if other == name {
				_, isBool := flag.(*cli.BoolFlag)
				return !isBool
			}
		}
	}
	return false
}
