package normalize

// fold writes names in lower case where their case can't reach a result: column references in expressions, table names, parameters and window
// names (5.3 of the checklist), in ASCII only: beyond it DuckDB tells cases apart.
//
// Kept as written: names that make output names (aliases, and in Databricks every reference in an item without alias, T2), names printed
// into an output name (DuckDB, T1), fields of structs, maps and JSON after a name that is no FROM item (T31), column lists, keys, and paths.
func (a *analysis) fold() {
	for _, ident := range a.folds {
		if !a.keep[ident] {
			ident.Text = lower(ident.Text)
		}
	}
	for _, it := range a.items {
		if it.pinned && !it.asWritten {
			if it.alias != nil {
				it.alias.Name.Text = lower(it.alias.Name.Text)
			}
			if it.view != nil {
				it.view.Text = lower(it.view.Text)
			}
		}
	}
	for _, c := range a.ctes {
		if c.pinned && !c.asWritten {
			c.node.Name.Text = lower(c.node.Name.Text)
		}
	}
}
