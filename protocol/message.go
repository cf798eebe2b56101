package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Error codes (docs/protocol.md). The first five are JSON-RPC's.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeUnknownMethod  = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
	CodeWarehouse      = -32001 // the warehouse refused or failed the statement
	CodeNoRun          = -32002 // no run was started, or it is finished
	CodeManifest       = -32003 // the manifest can't be read or is of another invocation
)

// Error is the error member of an answer. It implements error.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error returns the message with its code.
func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// Errorf returns an Error.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// asError turns any error into what goes over the wire. An error that is no *Error is internal.
func asError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Code: CodeInternal, Message: err.Error()}
}

// message is one line. Which members are present says what it is: see kind.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// kind of a message.
type kind int

const (
	invalid kind = iota
	request
	notification
	answer
)

func (m *message) kind() kind {
	hasID := len(m.ID) > 0 && !bytes.Equal(m.ID, null)
	switch {
	case m.JSONRPC != "2.0":
		return invalid
	case m.Method != "" && m.Result == nil && m.Error == nil:
		if len(m.ID) == 0 {
			return notification
		}
		if !hasID || !scalar(m.ID) {
			return invalid
		}
		return request
	case m.Method == "" && hasID && (m.Result == nil) != (m.Error == nil):
		return answer
	}
	return invalid
}

// plainRequest takes apart a request as the plugin writes it: the members in this order, no blanks, a number, a name without escapes, an object. ok is
// false for every other line, which may be the same message written otherwise, or none. encoding/json would look at each byte three times.
func plainRequest(line []byte) (m message, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"jsonrpc":"2.0","id":`))
	if !ok {
		return m, false
	}
	id, rest, ok := bytes.Cut(rest, []byte(`,"method":"`))
	if !ok || len(id) == 0 || len(id) > 15 || id[0] == '0' || bytes.ContainsFunc(id, func(r rune) bool { return r < '0' || r > '9' }) {
		return m, false
	}
	method, rest, ok := bytes.Cut(rest, []byte(`","params":`))
	plain := func(r rune) bool { return r >= 'a' && r <= 'z' || r == '/' || r == '_' }
	if !ok || len(method) == 0 || bytes.ContainsFunc(method, func(r rune) bool { return !plain(r) }) {
		return m, false
	}
	params, ok := bytes.CutSuffix(rest, []byte("}"))
	// The parameters are one value to their end, so nothing of the message can stand behind them.
	if n := len(params); !ok || n < 2 || params[0] != '{' || params[n-1] != '}' || !json.Valid(params) {
		return m, false
	}
	return message{JSONRPC: "2.0", ID: id, Method: string(method), Params: params}, true
}

var null = []byte("null")

// scalar tells whether raw is a JSON number or string, the only ids that are echoed.
func scalar(raw json.RawMessage) bool {
	return raw[0] == '"' || raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9'
}

// encode makes one line, without HTML escapes, with its line feed.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// salvageID finds the id of a line that is cut, too long or not JSON, so that whoever waits for the answer gets one. It reads the top-level
// members in order and gives up at the first that does not parse; nil if there is none before that.
func salvageID(line []byte) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(line))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil
		}
		var v json.RawMessage
		if dec.Decode(&v) != nil {
			return nil
		}
		if key == "id" {
			if len(v) > 0 && scalar(v) {
				return v
			}
			return nil
		}
	}
	return nil
}
