package main

import (
	"fmt"
	"sort"
	"strings"

	"github.com/urfave/cli/v2"

	"hodor/internal/version"
)

func completionCommand() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print a completion script for a shell",
		ArgsUsage: "bash|zsh|fish",
		Description: examples(
			`completion bash > ~/.local/share/bash-completion/completions/hodor-sql`, "for bash",
			`completion zsh > "${fpath[1]}/_hodor-sql"`, "for zsh",
			`completion fish > ~/.config/fish/completions/hodor-sql.fish`, "for fish",
		),
		Action: func(c *cli.Context) error {
			args := positional(c)
			if len(args) != 1 || scripts[args[0]] == nil {
				return usage("completion needs one of bash, zsh, fish")
			}
			_, err := fmt.Fprint(c.App.Writer, scripts[args[0]](c.App))
			return err
		},
	}
}

// scripts make the completion scripts from the table of commands, so that they can't differ from it.
var scripts = map[string]func(*cli.App) string{"bash": bash, "zsh": zsh, "fish": fish}

// offer is one thing that can be completed.
type offer struct{ word, usage string }

// commandsOf lists the commands that are shown.
func commandsOf(list []*cli.Command) []offer {
	var out []offer
	for _, c := range list {
		if !c.Hidden {
			out = append(out, offer{c.Name, c.Usage})
		}
	}
	return out
}

// optionsOf lists a command's options, the long names only.
func optionsOf(c *cli.Command) []offer {
	var out []offer
	for _, f := range c.Flags {
		if v, ok := f.(cli.VisibleFlag); ok && !v.IsVisible() {
			continue
		}
		text := ""
		if d, ok := f.(cli.DocGenerationFlag); ok {
			text = strings.ReplaceAll(d.GetUsage(), "`", "")
		}
		for _, name := range f.Names() {
			if len(name) > 1 && name != "help" {
				out = append(out, offer{"--" + name, text})
			}
		}
	}
	out = append(out, offer{"--help", "show the options"})
	sort.Slice(out, func(i, j int) bool { return out[i].word < out[j].word })
	return out
}

func words(list []offer) string {
	var out []string
	for _, o := range list {
		out = append(out, o.word)
	}
	return strings.Join(out, " ")
}

// values are the words that options with a closed list take.
var values = map[string]string{"--dialect": "databricks duckdb", "--store": "duckdb postgres delta", "--color": "auto always never"}

func function(app *cli.App) string { return "_" + strings.ReplaceAll(app.Name, "-", "_") }

func bash(app *cli.App) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# bash completion for %s %s\n%s() {\n", app.Name, version.Version(), function(app))
	b.WriteString("  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} sub=${COMP_WORDS[2]} list=\n")
	b.WriteString("  case $before in\n")
	for _, name := range sortedKeys(values) {
		fmt.Fprintf(&b, "    %s) COMPREPLY=($(compgen -W %q -- \"$word\")); return ;;\n", name, values[name])
	}
	b.WriteString("  esac\n")
	fmt.Fprintf(&b, "  if [ \"$COMP_CWORD\" -eq 1 ]; then list=%q; else case $command in\n", words(commandsOf(app.Commands)))
	for _, c := range app.Commands {
		if len(c.Subcommands) > 0 {
			fmt.Fprintf(&b, "    %s) if [ \"$COMP_CWORD\" -eq 2 ]; then list=%q; else case $sub in\n", c.Name, words(commandsOf(c.Subcommands)))
			for _, sub := range c.Subcommands {
				fmt.Fprintf(&b, "      %s) list=%q ;;\n", sub.Name, words(optionsOf(sub)))
			}
			b.WriteString("      esac; fi ;;\n")
			continue
		}
		fmt.Fprintf(&b, "    %s) list=%q ;;\n", c.Name, words(optionsOf(c)))
	}
	b.WriteString("  esac; fi\n  case $word in\n    -*) COMPREPLY=($(compgen -W \"$list\" -- \"$word\")) ;;\n")
	b.WriteString("    *) if [ \"$COMP_CWORD\" -le 2 ]; then COMPREPLY=($(compgen -W \"${list//--[a-z-]*/}\" -- \"$word\")); fi\n")
	b.WriteString("       [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- \"$word\")) ;;\n  esac\n}\n")
	fmt.Fprintf(&b, "complete -F %s %s\n", function(app), app.Name)
	return b.String()
}

func zsh(app *cli.App) string {
	quote := func(s string) string {
		return strings.NewReplacer("'", `'\''`, ":", `\:`, "[", `\[`, "]", `\]`).Replace(s)
	}
	var b strings.Builder
	describe := func(indent string, list []offer) {
		b.WriteString(indent + "local -a list; list=(\n")
		for _, o := range list {
			fmt.Fprintf(&b, "%s  '%s:%s'\n", indent, quote(o.word), quote(o.usage))
		}
		b.WriteString(indent + ")\n" + indent + "_describe -V word list\n")
	}
	fmt.Fprintf(&b, "#compdef %s\n# zsh completion for %s %s\n%s() {\n", app.Name, app.Name, version.Version(), function(app))
	b.WriteString("  case ${words[CURRENT-1]} in\n")
	for _, name := range sortedKeys(values) {
		fmt.Fprintf(&b, "    %s) compadd %s; return ;;\n", name, values[name])
	}
	b.WriteString("  esac\n  if (( CURRENT == 2 )); then\n")
	describe("    ", commandsOf(app.Commands))
	b.WriteString("    return\n  fi\n  [[ ${words[CURRENT]} == -* ]] || (( CURRENT == 3 )) || { _files; return }\n  case ${words[2]} in\n")
	for _, c := range app.Commands {
		fmt.Fprintf(&b, "    %s)\n", c.Name)
		if len(c.Subcommands) > 0 {
			b.WriteString("      if (( CURRENT == 3 )); then\n")
			describe("        ", commandsOf(c.Subcommands))
			b.WriteString("        return\n      fi\n      case ${words[3]} in\n")
			for _, sub := range c.Subcommands {
				fmt.Fprintf(&b, "        %s)\n", sub.Name)
				describe("          ", optionsOf(sub))
				b.WriteString("          ;;\n")
			}
			b.WriteString("      esac ;;\n")
			continue
		}
		b.WriteString("      [[ ${words[CURRENT]} == -* ]] || _files\n")
		describe("      ", optionsOf(c))
		b.WriteString("      ;;\n")
	}
	fmt.Fprintf(&b, "  esac\n}\ncompdef %s %s\n", function(app), app.Name)
	return b.String()
}

func fish(app *cli.App) string {
	quote := func(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'" }
	var b strings.Builder
	fmt.Fprintf(&b, "# fish completion for %s %s\n", app.Name, version.Version())
	for _, c := range commandsOf(app.Commands) {
		fmt.Fprintf(&b, "complete -c %s -f -n __fish_use_subcommand -a %s -d %s\n", app.Name, c.word, quote(c.usage))
	}
	option := func(condition string, o offer) {
		take := ""
		if v := values[o.word]; v != "" {
			take = " -x -a " + quote(v)
		}
		fmt.Fprintf(&b, "complete -c %s -n %s -l %s -d %s%s\n", app.Name, quote(condition), strings.TrimPrefix(o.word, "--"), quote(o.usage), take)
	}
	for _, c := range app.Commands {
		for _, sub := range c.Subcommands {
			only := "__fish_seen_subcommand_from " + c.Name + "; and not __fish_seen_subcommand_from " + words(commandsOf(c.Subcommands))
			fmt.Fprintf(&b, "complete -c %s -f -n %s -a %s -d %s\n", app.Name, quote(only), sub.Name, quote(sub.Usage))
			for _, o := range optionsOf(sub) {
				option("__fish_seen_subcommand_from "+c.Name+"; and __fish_seen_subcommand_from "+sub.Name, o)
			}
		}
		if len(c.Subcommands) > 0 {
			continue
		}
		for _, o := range optionsOf(c) {
			option("__fish_seen_subcommand_from "+c.Name, o)
		}
	}
	return b.String()
}

func sortedKeys(m map[string]string) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func manCommand() *cli.Command {
	return &cli.Command{
		Name:  "man",
		Usage: "print the manual page",
		Description: examples(
			"man > ~/.local/share/man/man1/hodor-sql.1", "install it for one user",
		),
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usage("man takes no arguments, got %q", c.Args().First())
			}
			_, err := fmt.Fprint(c.App.Writer, manual(c.App))
			return err
		},
	}
}

// manual is the page in the language of man, made from the table of commands.
func manual(app *cli.App) string {
	var b strings.Builder
	plain := strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", "").Replace
	line := func(s string) {
		if strings.HasPrefix(s, ".") {
			s = `\&` + s
		}
		b.WriteString(plain(s) + "\n")
	}
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"hodor %s\" \"User commands\"\n.SH NAME\n", strings.ToUpper(plain(app.Name)), version.Version())
	line(app.Name + " - " + app.Usage)
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n.I command\n[options] [arguments]\n", plain(app.Name))
	b.WriteString(".SH DESCRIPTION\n")
	line("hodor decides, for every node of a dbt run, whether the existing table, view, seed, snapshot or test result can be reused or must be built.")
	line("These commands show its records, explain its decisions and look at SQL as it does.")
	b.WriteString(".SH COMMANDS\n")
	var each func(prefix string, list []*cli.Command)
	each = func(prefix string, list []*cli.Command) {
		for _, c := range list {
			if len(c.Subcommands) > 0 {
				each(prefix+c.Name+" ", c.Subcommands)
				continue
			}
			fmt.Fprintf(&b, ".SS \"%s\"\n", plain(strings.TrimSpace(prefix+c.Name+" "+c.ArgsUsage)))
			line(strings.ToUpper(c.Usage[:1]) + c.Usage[1:] + ".")
			for _, o := range optionsOf(c) {
				fmt.Fprintf(&b, ".TP\n.B %s\n", plain(o.word))
				line(o.usage)
			}
			if c.Description != "" {
				b.WriteString(".PP\n.nf\n")
				for text := range strings.Lines(c.Description) {
					line(strings.TrimRight(text, "\n"))
				}
				b.WriteString(".fi\n")
			}
		}
	}
	each("", app.Commands)
	b.WriteString(`.SH EXIT STATUS
.TP
.B 0
Done.
.TP
.B 1
The answer is no: different, not found, a run that failed, a check that failed.
.TP
.B 2
Bad usage.
.TP
.B 3
An input could not be read, or a store not be reached.
.SH ENVIRONMENT
.TP
.B HODOR_STORE, HODOR_PATH, HODOR_DSN, HODOR_DATABASE, HODOR_SCHEMA, HODOR_TABLE, HODOR_PROJECT, HODOR_TARGET
Stand in for the options of the same names.
.TP
.B NO_COLOR
No colour, unless \\-\\-color always says otherwise.
.TP
.B COLUMNS
The width of tables, also where the output is no terminal.
`)
	return b.String()
}
