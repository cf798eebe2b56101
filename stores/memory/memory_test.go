package memory_test

import (
	"testing"

	"hodor/stores"
	"hodor/stores/memory"
	"hodor/stores/storetest"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, storetest.Backend{New: func(t *testing.T) storetest.Place {
		s := &memory.Store{}
		return storetest.Place{Open: func(o storetest.Options) (stores.Store, error) { return s, nil }}
	}})
}
