package session

import "encoding/json"

// The types of this file are parameters and answers of docs/protocol.md, in its order; that page says what each field means.

// StartRequest is run/start.
type StartRequest struct {
	InvocationID string            `json:"invocation_id"`
	RunStartedAt string            `json:"run_started_at"`
	Command      string            `json:"command"`
	Mode         string            `json:"mode"`
	Adapter      string            `json:"adapter"`
	ProjectName  string            `json:"project_name"`
	TargetName   string            `json:"target_name"`
	ProjectRoot  string            `json:"project_root"`
	ManifestPath string            `json:"manifest_path"`
	Database     string            `json:"database"`
	Schema       string            `json:"schema"`
	Nodes        []string          `json:"nodes"`
	Deferred     map[string]string `json:"deferred"`
	Flags        Flags             `json:"flags"`
	Settings     Settings          `json:"settings"`
	Context      Context           `json:"context"`
	Versions     json.RawMessage   `json:"versions"`
	// Ahead: the host takes decisions on nodes that it has not asked for yet.
	Ahead bool `json:"ahead"`
}

// Flags are dbt's flags.
type Flags struct {
	FullRefresh   bool   `json:"full_refresh"`
	Empty         bool   `json:"empty"`
	Sample        bool   `json:"sample"`
	EventTime     bool   `json:"event_time"`
	FailFast      bool   `json:"fail_fast"`
	StoreFailures bool   `json:"store_failures"`
	WarnError     string `json:"warn_error"`
}

// Settings are hodor's settings, resolved by the host.
type Settings struct {
	Store           string `json:"store"`
	Path            string `json:"path"`
	Database        string `json:"database"`
	Schema          string `json:"schema"`
	Table           string `json:"table"`
	Endpoint        string `json:"endpoint"`
	MetadataThreads int    `json:"metadata_threads"`
	LookbackDays    int    `json:"lookback_days"`
	KeepSQL         bool   `json:"keep_sql"`
}

// Context holds hashes over what must not cross the wire itself, and the number of threads.
type Context struct {
	Vars    string `json:"vars"`
	Target  string `json:"target"`
	Session string `json:"session"`
	Threads string `json:"threads"`
}

// StartAnswer is the answer to run/start.
type StartAnswer struct {
	Replacements [][2]string `json:"replacements"`
	RenderHooks  []string    `json:"render_hooks"`
	Records      int         `json:"records"`
	Store        string      `json:"store"`
	Warnings     []string    `json:"warnings"`
}

// DecideRequest is node/decide. Taken, here and in the requests below: the nodes whose decisions the host has taken from what was said ahead.
type DecideRequest struct {
	ID       string   `json:"id"`
	TextHash *string  `json:"text_hash"`
	SQL      *string  `json:"sql"`
	Relation *string  `json:"relation"`
	Hooks    *Hooks   `json:"hooks"`
	Wrote    bool     `json:"wrote"`
	Pointer  bool     `json:"pointer"`
	Taken    []string `json:"taken"`
}

// Hooks are rendered texts; nil is one that can't be rendered without side effects.
type Hooks struct {
	Pre    []*string `json:"pre"`
	Post   []*string `json:"post"`
	Header *string   `json:"header"`
}

// DecideAnswer is the answer to node/decide: Need alone, or everything else.
type DecideAnswer struct {
	Need     string
	Action   string
	Decision string
	Reason   string
	Note     string
	RunHooks bool
	Replay   *Replay
	Ahead    []Ahead
}

// MarshalJSON writes {"need":...} or the decision.
func (a DecideAnswer) MarshalJSON() ([]byte, error) {
	if a.Need != "" {
		return json.Marshal(struct {
			Need string `json:"need"`
		}{a.Need})
	}
	return json.Marshal(struct {
		Action   string  `json:"action"`
		Decision string  `json:"decision"`
		Reason   string  `json:"reason"`
		Note     string  `json:"note"`
		RunHooks bool    `json:"run_hooks"`
		Replay   *Replay `json:"replay"`
		Ahead    []Ahead `json:"ahead,omitempty"`
	}{a.Action, a.Decision, a.Reason, a.Note, a.RunHooks, a.Replay, a.Ahead})
}

// Replay is the recorded outcome of a test.
type Replay struct {
	Status       string `json:"status"`
	Failures     int64  `json:"failures"`
	Message      string `json:"message"`
	InvocationID string `json:"invocation_id"`
	BuiltAtMS    int64  `json:"built_at_ms"`
}

// BuiltRequest is node/built and node/tested.
type BuiltRequest struct {
	ID        string   `json:"id"`
	Status    string   `json:"status"`
	Failures  *int64   `json:"failures"`
	Message   *string  `json:"message"`
	BuildMS   int64    `json:"build_ms"`
	Attempted bool     `json:"attempted"`
	HooksRan  bool     `json:"hooks_ran"`
	Taken     []string `json:"taken"`
}

// FinishRequest is run/finish.
type FinishRequest struct {
	Interrupted bool              `json:"interrupted"`
	ElapsedMS   int64             `json:"elapsed_ms"`
	Statuses    map[string]string `json:"statuses"`
	Taken       []string          `json:"taken"`
}

// FinishAnswer is the answer to run/finish.
type FinishAnswer struct {
	Reused   int      `json:"reused"`
	Built    int      `json:"built"`
	Errors   int      `json:"errors"`
	SavedMS  int64    `json:"saved_ms"`
	Recorded int      `json:"recorded"`
	Warnings []string `json:"warnings"`
	Debug    Debug    `json:"debug"`
}

// Debug counts what a run cost.
type Debug struct {
	Parsed       int `json:"parsed"`
	SQLSent      int `json:"sql_sent"`
	VersionsRead int `json:"versions_read"`
	Statements   int `json:"statements"`
}
