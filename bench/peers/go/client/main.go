// Command client measures controller-runtime and multicluster-runtime: one row of the comparison with peers per process.
//
// Its argument says how: "protobuf", "JSON" or "unstructured" for rows with a server, "priority" or "FIFO" for the queue.
package main

import (
	"context"
	"log"
	"os"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
	ctrl.SetLogger(logr.Discard())
	variant := ""
	if len(os.Args) > 1 {
		variant = os.Args[1]
	}
	steps := newConversation(os.Stdin)
	job := steps.assignment(variant)
	rows := map[string]func(context.Context, *assignment, *conversation) error{
		"sync":       syncObjects,
		"watch":      syncObjects,
		"queue":      throughQueue,
		"reconciles": reconcileAll,
		"engage":     engage,
		"latency":    latency,
		"rotate":     rotate,
		"start":      start,
	}
	row, ok := rows[job.Row]
	if !ok {
		log.Fatalf("row %s is not part of this program", job.Row)
	}
	if err := row(context.Background(), job, steps); err != nil {
		log.Fatal(err)
	}
	steps.next()
}
