//! sqlparser-peer SECONDS FILE DIALECT: parses the texts of FILE (a NUL behind each) for SECONDS of processor time, at least
//! once, and prints one line of JSON as bench/parse/main.go reads it.
use sqlparser::dialect::{DatabricksDialect, Dialect, DuckDbDialect};
use sqlparser::parser::Parser;
use std::{env, fs};

fn cpu() -> f64 {
    let mut u: libc::rusage = unsafe { std::mem::zeroed() };
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut u) };
    let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
    seconds(u.ru_utime) + seconds(u.ru_stime)
}

fn memory(field: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with(field)).unwrap_or("");
    1024 * line.split_whitespace().nth(1).and_then(|n| n.parse::<u64>().ok()).unwrap_or(0)
}

fn main() {
    let args: Vec<String> = env::args().collect();
    let seconds: f64 = args[1].parse().expect("seconds");
    let text = fs::read_to_string(&args[2]).expect("file");
    let texts: Vec<&str> = text.trim_end_matches('\0').split('\0').collect();
    let dialect: Box<dyn Dialect> = match args[3].as_str() {
        "databricks" => Box::new(DatabricksDialect {}),
        _ => Box::new(DuckDbDialect {}),
    };
    let base = memory("VmRSS");
    let (mut done, mut failed, mut bytes) = (0, 0, 0);
    let start = cpu();
    while done == 0 || cpu() - start < seconds {
        for sql in &texts {
            if Parser::parse_sql(&*dialect, sql).is_err() {
                failed += 1;
            }
            done += 1;
            bytes += sql.len();
        }
    }
    let spent = cpu() - start;
    println!(
        r#"{{"name":"sqlparser-rs","version":"0.64.0","bytes":{bytes},"cpu":{spent},"texts":{done},"failed":{failed},"peak":{}}}"#,
        memory("VmHWM").saturating_sub(base)
    );
}
