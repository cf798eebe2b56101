package executor_test

import (
	"context"
	"fmt"

	"hodor/executor"
	"hodor/executor/executortest"
	"hodor/executor/fake"
)

// A run of three nodes, of which one fails: its child is skipped, and the report says so without an error.
func ExampleRun() {
	ex := fake.New(executortest.World{Nodes: []executortest.Node{
		{ID: "stg"}, {ID: "orders", Parents: []string{"stg"}, Fails: true}, {ID: "daily", Parents: []string{"orders"}},
	}}, "")
	req := executor.ExecutionRequest{Mode: executor.BuildOnly, Scope: "shop/dev"}
	for _, id := range []string{"stg", "orders", "daily"} {
		req.Nodes = append(req.Nodes, executor.NodeRef{ID: id, Name: id})
	}
	progress := executor.SinkFunc(func(e executor.Event) error {
		if e.Kind == executor.NodeFinished {
			fmt.Println(e.Node.Name, e.Status)
		}
		return nil
	})
	report, err := executor.Run(context.Background(), ex, req, progress)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("succeeded:", report.Succeeded)
	// Output:
	// stg success
	// orders failed
	// daily skipped
	// succeeded: false
}

// An empty request is refused before anything runs.
func ExampleIsCode() {
	_, err := executor.Run(context.Background(), fake.New(executortest.World{}, ""), executor.ExecutionRequest{Mode: executor.Test}, nil)
	fmt.Println(executor.IsCode(err, executor.Refused), err)
	// Output:
	// true the request is empty; name at least one node or source
}
