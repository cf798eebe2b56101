package thriftproxy

import (
	"strings"
	"sync"

	"hodor/grammar"
)

// The numbers are field ids of TCLIService, as Hive defines them and Databricks extends them (from 1281 on).
const (
	request, success = 1, 0 // the only argument of every call; what an answer holds

	clientProtocol, serverProtocol, severalCatalogs = 1, 2, 1285
	statementText                                   = 2
	operation, operationID, guid                    = 1, 1, 1
	resultFormat                                    = 1281
	resultMetadata                                  = 1281
	errorMessage, displayMessage                    = 5, 1281

	newestOfSpark    = 9      // the newest client protocol that Spark's Thrift Server has
	databricksV4     = 0xA504 // V5 promises Arrow
	columnBasedSet   = 1
	hiveMetastore    = "hive_metastore"
	sparksOwnCatalog = "spark_catalog"
)

// rewriter changes calls and answers. The metadata of results are kept until their operation is closed.
type rewriter struct {
	mu       sync.Mutex
	metadata map[string][]byte
}

// call changes a call on its way to Spark. sql is the text of a statement, op names the operation that the call is about.
func (w *rewriter) call(m *message) (sql, op string) {
	args, put := m.body.within(request)
	if args == nil {
		return "", ""
	}
	defer put()
	switch m.method {
	case "OpenSession":
		args.set(clientProtocol, typeI32, i32(newestOfSpark))
	case "ExecuteStatement":
		if raw, ok := args.get(statementText, typeString); ok {
			sql = text(raw)
			args.set(statementText, typeString, str(rename(sql)))
		}
	default:
		if handle, _ := args.within(operation); handle != nil {
			if id, _ := handle.within(operationID); id != nil {
				if raw, ok := id.get(guid, typeString); ok {
					op = text(raw)
				}
			}
		}
	}
	return sql, op
}

// answer changes an answer on its way to the driver.
func (w *rewriter) answer(m *message, op string) {
	reply, put := m.body.within(success)
	if reply == nil {
		return
	}
	defer put()
	w.mu.Lock()
	defer w.mu.Unlock()
	switch m.method {
	case "OpenSession":
		reply.set(serverProtocol, typeI32, i32(databricksV4))
		reply.add(severalCatalogs, typeBool, []byte{1})
	case "GetResultSetMetadata":
		reply.add(resultFormat, typeI32, i32(columnBasedSet))
		w.metadata[op] = reply.bytes()
	case "FetchResults":
		if metadata, ok := w.metadata[op]; ok {
			reply.add(resultMetadata, typeStruct, metadata)
		}
	case "GetOperationStatus":
		if raw, ok := reply.get(errorMessage, typeString); ok {
			reply.add(displayMessage, typeString, raw)
		}
	case "CloseOperation":
		delete(w.metadata, op)
	}
}

// rename calls the catalog hive_metastore spark_catalog where it is a name. Inside a literal it is somebody's data.
func rename(sql string) string {
	var b strings.Builder
	at := 0
	for token, err := range grammar.Tokens(sql, grammar.Databricks) {
		if err != nil {
			return sql // Spark says what is wrong with it
		}
		if text := strings.ToLower(strings.Trim(token.Text, "`")); text == hiveMetastore {
			b.WriteString(sql[at:token.Start] + sparksOwnCatalog)
			at = token.Start + len(token.Text)
		}
	}
	return b.String() + sql[at:]
}
