package project

import "strings"

// macro is one entry of the manifest's macros.
type macro struct {
	id, name, pkg string
	sql           string
	calls         []string // depends_on.macros
	internal      bool     // of dbt or the adapter
}

// macros holds all macros of the manifest.
type macros struct {
	byID   map[string]*macro
	byName map[string][]*macro // project and package macros only, by name and by name without its dispatch prefix
}

func newMacros() *macros { return &macros{byID: map[string]*macro{}, byName: map[string][]*macro{}} }

func (m *macros) add(id string, entry value) error {
	x := &macro{id: id}
	entry.fields(func(key []byte, v value) {
		switch string(key) {
		case "name":
			x.name = v.str()
		case "package_name":
			x.pkg = v.str()
		case "macro_sql":
			x.sql = v.str()
		case "depends_on":
			x.calls = v.get("macros").strings()
		}
	})
	m.byID[id] = x
	return nil
}

// internalPackages are the packages whose macros are dbt's own or the adapter's.
func internalPackages(adapter string) map[string]bool {
	p := map[string]bool{"dbt": true, "dbt_" + adapter: true}
	if adapter == "databricks" {
		p["dbt_spark"] = true
	}
	return p
}

// finish sorts the macros into dbt's own and the project's.
func (m *macros) finish(adapter string) {
	internal := internalPackages(adapter)
	for _, x := range m.byID {
		x.internal = internal[x.pkg]
		if x.internal {
			continue
		}
		m.byName[x.name] = append(m.byName[x.name], x)
		if base := baseName(x.name); base != x.name {
			m.byName[base] = append(m.byName[base], x)
		}
	}
}

// baseName takes off the prefix by which dispatch finds an adapter's version of a macro (duckdb__x, default__x).
func baseName(name string) string {
	if i := strings.Index(name, "__"); i > 0 {
		return name[i+2:]
	}
	return name
}
