package versions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"hodor/engine"
	"hodor/project"
)

// harmless are DuckDB settings that change neither what a statement means nor what it returns: resources, places, logging, profiling, caches,
// credentials. Credentials and places of remote data are left out since what is read through them has no version anyway. Every setting that
// is not here counts (S19), also one that a later release or an extension adds. docs/versions.md lists them for users.
var harmless = map[string]bool{
	// Resources.
	"threads": true, "worker_threads": true, "external_threads": true, "async_threads": true, "memory_limit": true, "max_memory": true,
	"operator_memory_limit": true, "max_temp_directory_size": true, "temp_file_encryption": true, "block_allocator_memory": true, "pin_threads": true,
	"allocator_background_threads": true, "allocator_bulk_deallocation_flush_threshold": true, "allocator_flush_threshold": true,
	"streaming_buffer_size": true, "max_streaming_buffer_size": true, "partitioned_write_flush_threshold": true, "partitioned_write_max_open_files": true,
	"write_buffer_row_group_count": true, "write_buffer_row_group_memory_limit": true, "max_vacuum_tasks": true, "scheduler_process_partial": true,
	"max_execution_time": true, "read_ahead_depth": true,
	// Places.
	"temp_directory": true, "home_directory": true, "secret_directory": true, "extension_directory": true, "extension_directories": true,
	"extension_repository_directory": true, "custom_extension_repository": true, "autoinstall_extension_repository": true,
	// Logging, profiling, progress, messages.
	"enable_logging": true, "enabled_log_types": true, "disabled_log_types": true, "logging_level": true, "logging_mode": true, "logging_storage": true,
	"logging_sink": true, "log_query_path": true, "enable_http_logging": true, "http_logging_output": true, "redact_http_logs": true,
	"enable_profiling": true, "profiling_mode": true, "profiling_output": true, "profile_output": true, "profiling_coverage": true,
	"profiling_renderer_settings": true, "custom_profiling_settings": true, "tracked_metrics": true, "explain_output": true, "errors_as_json": true,
	"enable_progress_bar": true, "enable_progress_bar_print": true, "progress_bar_time": true, "catalog_error_max_schemas": true,
	// Storage and caches.
	"checkpoint_threshold": true, "wal_autocheckpoint": true, "wal_autocheckpoint_entries": true, "auto_checkpoint_skip_wal_threshold": true,
	"checkpoint_on_detach": true, "fsync_mode": true, "enable_external_file_cache": true, "enable_http_metadata_cache": true,
	"enable_object_cache": true, "parquet_metadata_cache": true, "prefetch_all_parquet_files": true, "disable_parquet_prefetching": true,
	"cache_local_files": true, "storage_block_prefetch": true, "validate_external_file_cache": true, "external_file_cache_spill": true,
	"external_file_cache_request_sizing": true, "external_file_cache_local_max_block_size": true,
	"external_file_cache_remote_max_block_size": true, "external_file_cache_remote_min_block_size": true,
	// Who asks.
	"duckdb_api": true, "custom_user_agent": true, "user": true, "username": true, "password": true,
	"http_proxy": true, "http_proxy_username": true, "http_proxy_password": true, "http_client_pool_capacity": true, "http_timeout": true,
	"http_retries": true, "http_retry_backoff": true, "http_retry_wait_ms": true, "http_keep_alive": true,
	"http_retry_quota_throttled": true, "http_retry_throttled_wait_ms": true,
	"s3_access_key_id": true, "s3_secret_access_key": true, "s3_session_token": true, "s3_kms_key_id": true,
	"azure_account_name": true, "azure_storage_connection_string": true, "azure_credential_chain": true,
}

// Session implements Reader with one statement each for the clock and release, the settings, and the user's functions and types; where there are
// types, one more asks what they mean.
func (d *DuckDB) Session(ctx context.Context) (Session, error) {
	var s Session
	s.Asked = d.opt.now()
	row, err := queryRow(ctx, d.db, "select system.main.epoch_ms(system.main.now())::varchar, system.main.version()", 2)
	s.Taken = d.opt.now()
	if err != nil {
		return Session{}, fmt.Errorf("reading the warehouse's clock: %w", err)
	}
	if s.NowMS, err = strconv.ParseInt(row[0].String, 10, 64); err != nil {
		return Session{}, fmt.Errorf("reading the warehouse's clock: %w", errRows)
	}
	s.Engine = row[1].String
	if s.Engine != "" {
		_, _ = d.release.get(ctx, "", func(context.Context) (string, error) { return row[1].String, nil })
	}

	settings, err := query(ctx, d.db, "select s.name, s.value from system.main.duckdb_settings() s order by s.name", 2)
	if err != nil {
		return Session{}, fmt.Errorf("reading the settings: %w", err)
	}
	parts := []string{"settings"}
	for _, r := range settings {
		name := project.Fold(r[0].String)
		if !harmless[name] {
			parts = append(parts, name, strconv.FormatBool(r[1].Valid), r[1].String)
		}
		if name == "default_order" && !strings.HasPrefix(project.Fold(r[1].String), "asc") {
			s.Descending = true
		}
	}
	if len(parts) == 1 {
		return Session{}, fmt.Errorf("reading the settings: %w", errRows)
	}

	own, err := query(ctx, d.db, ownSQL, 4)
	if err != nil {
		return Session{}, fmt.Errorf("reading the user's functions and types: %w", err)
	}
	var types []string
	for _, r := range own {
		if r[0].String == "function" {
			s.UserFunctions = append(s.UserFunctions, r[1].String)
			continue
		}
		types = append(types, identifier(r[1].String)+"."+identifier(r[2].String)+"."+identifier(r[3].String))
	}
	meanings, err := d.typeMeanings(ctx, types)
	if err != nil {
		return Session{}, fmt.Errorf("reading the user's types: %w", err)
	}
	s.Fingerprint = digest(append(parts, meanings...)...)
	return s, nil
}

// ownSQL lists what the user has made that SQL may name without any of its tables: functions, by their names in lower case, and types.
const ownSQL = `select 'function' as kind, system.main.lower(f.function_name) as a, '' as b, '' as c
from system.main.duckdb_functions() f where not f.internal
union select 'type', t.database_name, t.schema_name, t.type_name from system.main.duckdb_types() t where not t.internal
order by kind, a, b, c`

// typeMeanings returns name and meaning of each of the user's types. A cast means another thing once its type was made anew, and neither a table nor
// the text of the cast shows it: not even duckdb_types() says how many digits or which fields a type has, so the engine spells them out.
func (d *DuckDB) typeMeanings(ctx context.Context, types []string) ([]string, error) {
	if len(types) == 0 {
		return nil, nil
	}
	columns := make([]string, len(types))
	for i, name := range types {
		columns[i] = "system.main.sha256(system.main.typeof(null::" + name + "))"
	}
	row, err := queryRow(ctx, d.db, "select "+strings.Join(columns, ", "), len(types))
	if err != nil {
		return nil, err
	}
	out := []string{"types"}
	for i, meaning := range row {
		out = append(out, types[i], meaning.String)
	}
	return out, nil
}

// dated is a day and the moment, on our clock, from which another must be asked for.
type dated struct {
	day   string
	until time.Time
}

// Volatile implements Reader. A day is asked for again once midnight has passed, in the session's time zone or in UTC, whichever comes first.
func (d *DuckDB) Volatile(ctx context.Context, kind string) engine.Version {
	var v engine.Version
	var err error
	switch kind {
	case "date":
		v, err = d.date(ctx)
	case "session":
		var row []sql.NullString
		if row, err = queryRow(ctx, d.db, "select system.main.current_user(), system.main.current_catalog(), system.main.current_schema(), "+
			"system.main.current_setting('TimeZone')", 4); err == nil {
			v = sessionVersion(row)
		}
	default:
		return ""
	}
	if err != nil {
		d.unknown.log(d.opt, "value", "volatile:"+kind, err)
		return ""
	}
	return v
}

func (d *DuckDB) date(ctx context.Context) (engine.Version, error) {
	return dateOf(ctx, &d.today, d.opt, func(ctx context.Context) ([]sql.NullString, error) {
		return queryRow(ctx, d.db, "select system.main.current_date()::varchar, system.main.epoch_ms(system.main.now())::varchar, "+
			"system.main.epoch_ms(system.main.add(system.main.current_date(), 1)::timestamptz)::varchar", 3)
	})
}

// dateOf keeps the warehouse's day in the session's time zone until midnight passes there or in UTC. read returns the day, now and the session's
// next midnight, the latter two as epoch ms.
func dateOf(ctx context.Context, c *cache[dated], opt Options, read func(context.Context) ([]sql.NullString, error)) (engine.Version, error) {
	for range 2 {
		today, err := c.get(ctx, "", func(ctx context.Context) (dated, error) {
			asked := opt.now()
			row, err := read(ctx)
			if err != nil {
				return dated{}, err
			}
			now, err1 := strconv.ParseInt(row[1].String, 10, 64)
			midnight, err2 := strconv.ParseInt(row[2].String, 10, 64)
			if err1 != nil || err2 != nil || row[0].String == "" {
				return dated{}, errRows
			}
			const dayMS = 24 * 60 * 60 * 1000
			left := min(midnight, (now/dayMS+1)*dayMS) - now
			return dated{row[0].String, asked.Add(time.Duration(left) * time.Millisecond)}, nil
		})
		if err != nil {
			return "", err
		}
		if opt.now().Before(today.until) {
			return engine.Version(today.day), nil
		}
		c.drop("")
	}
	return "", errors.New("midnight passes while it is read")
}

// sessionVersion is the value of volatile:session, a hash since it holds the user's name.
func sessionVersion(values []sql.NullString) engine.Version {
	parts := []string{"session"}
	for _, v := range values {
		parts = append(parts, v.String)
	}
	return engine.Version("session:" + digest(parts...))
}
