package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"slices"
)

// Health is what Probe found.
type Health struct {
	Place string
	// Exists: there is a state table. Upgrade lists its missing columns, which the first write adds.
	Exists  bool
	Upgrade []string
	// NewestMS is when the newest record of any project was recorded, epoch ms; 0: there is none.
	NewestMS int64
	// Checked: it was asked whether the store can be written; Write is what stands against it.
	Checked bool
	Write   error
}

// Probe looks at the store without changing anything. The error says why it can't be read.
func (s *Store) Probe(ctx context.Context) (Health, error) {
	h := Health{Place: s.source.Place()}
	s.forget()
	_, err := s.read(ctx, func(c *sql.Conn, l *layout, _ int) error {
		h.Exists = true
		for name := range l.missing {
			h.Upgrade = append(h.Upgrade, name)
		}
		slices.Sort(h.Upgrade)
		var err error
		h.NewestMS, err = s.sql("SELECT MAX(recorded_at_ms) FROM "+s.d.name(s.table)).one(ctx, c)
		return err
	})
	if err != nil || s.d.Writable == nil || s.readOnly {
		return h, err
	}
	c, release, err := s.source.Conn(ctx, h.Exists)
	if errors.Is(err, ErrNothing) {
		return h, nil
	}
	h.Checked = true
	if err != nil {
		h.Write = OneLine(err)
		return h, nil
	}
	h.Write = errors.Join(s.d.Writable(ctx, c, s.table, h.Exists), release())
	return h, nil
}
