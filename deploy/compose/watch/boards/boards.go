package main

// The dashboards. Units are those of Grafana.
var boards = []board{
	{"Now", []panel{
		{
			title: "Ready", unit: "bool", about: "1 while the node answers.",
			series: []series{{"ovation_ready{$i}", "{{instance}}"}},
		},
		{
			title: "Lag", unit: "s", about: "Age of what answers are made of.", alert: "OvationLag", threshold: 30,
			series: []series{{"ovation_lag_seconds{$i}", "{{instance}}"}},
		},
		{
			title: "Stopped", unit: "short", about: "Parts that do not continue by themselves.", alert: "OvationStopped", threshold: 1,
			series: []series{{"sum by (instance, what) (ovation_stopped{$i})", "{{instance}} {{what}}"}},
		},
		{
			title: "Retried", unit: "short", about: "Parts that retry until they succeed.", alert: "OvationRetrying", threshold: 1,
			series: []series{{"sum by (instance, what) (ovation_waiting{$i})", "{{instance}} {{what}}"}},
		},
		{
			title: "Actions recorded", unit: "ops", about: "Activities that became actions, a second.",
			series: []series{{"sum by (instance) (rate(ovation_activities_recorded_total{$i}[$__rate_interval]))", "{{instance}}"}},
		},
		{
			title: "Requests", unit: "reqps", about: "Requests to the API by status code, a second.",
			series: []series{{"sum by (code) (rate(ovation_requests_total{$i}[$__rate_interval]))", "{{code}}"}},
		},
		{
			title: "Failed requests", unit: "percentunit", about: "Share of requests that fail with 500 or 503.",
			alert: "OvationErrors", threshold: 0.01,
			series: []series{{
				`sum by (instance) (rate(ovation_requests_total{$i,code=~"500|503"}[$__rate_interval])) ` +
					`/ sum by (instance) (rate(ovation_requests_total{$i}[$__rate_interval]))`, "{{instance}}",
			}},
		},
		{
			title: "Free disk", unit: "bytes", about: "Free space on the store's disk.", alert: "OvationDiskLow", threshold: 1e9,
			series: []series{{"ovation_store_disk_free_bytes{$i}", "{{instance}}"}},
		},
	}},
	{"Ingest", []panel{
		{
			title: "Routed", unit: "ops", about: "Records of activities that were appended to the journal, a second.",
			series: []series{{"sum by (instance) (rate(ovation_router_routed_total{$i}[$__rate_interval]))", "{{instance}}"}},
		},
		{
			title: "Refused by routers", unit: "ops", about: "Records that became dead letters before the journal, by reason, a second.",
			series: []series{{"sum by (reason) (rate(ovation_router_refused_total{$i}[$__rate_interval]))", "{{reason}}"}},
		},
		{
			title: "Dead letters", unit: "ops", about: "Records that shards refused, by reason, a second; each node counts all of them.",
			series: []series{{"sum by (reason) (max by (reason, shard) (rate(ovation_dead_letters_total{$i}[$__rate_interval])))", "{{reason}}"}},
		},
		{
			title: "Duplicates", unit: "ops", about: "Activities with an id and source that counted before, a second.",
			series: []series{{"sum by (instance) (rate(ovation_activities_duplicate_total{$i}[$__rate_interval]))", "{{instance}}"}},
		},
		{
			title: "Backlog", unit: "short", about: "Records of the journal that are not applied.",
			series: []series{{"sum by (instance) (clamp_min(ovation_shard_log_end_offset{$i} - ovation_shard_applied_offset{$i}, 0))", "{{instance}}"}},
		},
		{
			title: "Commits", unit: "ops", about: "Micro-batches committed, a second.",
			series: []series{{"sum by (instance) (rate(ovation_commits_total{$i}[$__rate_interval]))", "{{instance}}"}},
		},
		{
			title: "Duration of a commit", unit: "s", about: "Of a micro-batch: written to the store, its view published.",
			series: []series{
				{"histogram_quantile(0.5, sum by (le) (rate(ovation_commit_seconds_bucket{$i}[$__rate_interval])))", "p50"},
				{"histogram_quantile(0.99, sum by (le) (rate(ovation_commit_seconds_bucket{$i}[$__rate_interval])))", "p99"},
			},
		},
		{
			title: "Outbox", unit: "short", about: "Entries of the fullest shard that are not published.", alert: "OvationOutbox", threshold: 25000,
			series: []series{{"max by (instance) (sum by (instance, shard) (ovation_outbox_waiting{$i}))", "{{instance}}"}},
		},
		{
			title: "Partitions routed", unit: "short", about: "Partitions of activities that the node routes.",
			series: []series{{"sum by (instance) (ovation_router_assigned{$i})", "{{instance}}"}},
		},
		{
			title: "Failures", unit: "ops", about: "Failed attempts that were retried, a second.",
			series: []series{{"sum by (instance, what) (rate(ovation_failures_total{$i}[$__rate_interval]))", "{{instance}} {{what}}"}},
		},
	}},
	{"Questions", []panel{
		{
			title: "Requests by operation", unit: "reqps", about: "Requests to the API, a second.",
			series: []series{{"sum by (operation) (rate(ovation_request_seconds_count{$i}[$__rate_interval]))", "{{operation}}"}},
		},
		{
			title: "Duration of requests", unit: "s", about: "From arrival to the end of the response.", alert: "OvationSlow", threshold: 1,
			series: []series{
				{"histogram_quantile(0.5, sum by (instance, le) (rate(ovation_request_seconds_bucket{$i}[$__rate_interval])))", "p50 {{instance}}"},
				{"histogram_quantile(0.99, sum by (instance, le) (rate(ovation_request_seconds_bucket{$i}[$__rate_interval])))", "p99 {{instance}}"},
			},
		},
		{
			title: "Questions by shape", unit: "ops", about: "Questions to the shards, a second.",
			series: []series{{"sum by (shape) (rate(ovation_question_seconds_count{$i}[$__rate_interval]))", "{{shape}}"}},
		},
		{
			title: "p99 by shape", unit: "s", about: "Duration of questions to the shards, the wait for a position included.",
			series: []series{{"histogram_quantile(0.99, sum by (shape, le) (rate(ovation_question_seconds_bucket{$i}[$__rate_interval])))", "{{shape}}"}},
		},
		{
			title: "Polls", unit: "ops", about: "Conditional GETs, by how they were answered: from memory, by comparison, in full.",
			series: []series{{"sum by (answered) (rate(ovation_polls_total{$i}[$__rate_interval]))", "{{answered}}"}},
		},
		{
			title: "Limited", unit: "reqps", about: "Requests over a limit of their account.",
			series: []series{{"sum by (limit) (rate(ovation_limited_requests_total{$i}[$__rate_interval]))", "{{limit}}"}},
		},
		{
			title: "Scans that wait", unit: "short", about: "Scans that wait for a worker: more CPU would answer them sooner.",
			series: []series{{"ovation_questions_waiting{$i}", "{{instance}}"}},
		},
		{
			title: "Response cache", unit: "bytes", about: "Memory of the response cache, estimated.",
			series: []series{{"ovation_response_cache_bytes{$i}", "{{instance}}"}},
		},
	}},
	{"Store", []panel{
		{
			title: "Rows", unit: "short", about: "Rows that are not deleted.",
			series: []series{{"sum by (instance) (ovation_shard_rows{$i})", "{{instance}}"}},
		},
		{
			title: "Disk", unit: "bytes", about: "Size on disk: store, embedded log, data keys.",
			series: []series{
				{"ovation_store_disk_bytes{$i}", "store {{instance}}"},
				{"ovation_log_disk_bytes{$i}", "log {{instance}}"},
				{"ovation_data_keys_disk_bytes{$i}", "keys {{instance}}"},
			},
		},
		{
			title: "Compaction debt", unit: "bytes", about: "Bytes that compaction still has to rewrite.",
			series: []series{{"ovation_store_compaction_debt_bytes{$i}", "{{instance}}"}},
		},
		{
			title: "Resident columns", unit: "bytes", about: "Memory of the columns of resident brands.",
			series: []series{{"sum by (instance) (ovation_column_bytes{$i})", "{{instance}}"}},
		},
		{
			title: "Evictions", unit: "ops", about: "Brands whose columns were evicted from memory, a second.",
			series: []series{{"sum by (instance) (rate(ovation_columns_evicted_total{$i}[$__rate_interval]))", "{{instance}}"}},
		},
		{
			title: "Members loaded", unit: "ops", about: "Members read from the store, a second.",
			series: []series{{"sum by (instance) (rate(ovation_members_loaded_total{$i}[$__rate_interval]))", "{{instance}}"}},
		},
		{
			title: "Snapshots", unit: "short", about: "Open snapshots of the store: each keeps what compaction would drop.",
			series: []series{{"ovation_store_snapshots{$i}", "{{instance}}"}},
		},
		{
			title: "Lookups of data keys", unit: "ops", about: "By where the key was found, a second.",
			series: []series{{"sum by (found) (rate(ovation_data_key_lookups_total{$i}[$__rate_interval]))", "{{found}}"}},
		},
		{
			title: "Damaged files", unit: "short", about: "Files with a part that cannot be read: of the store, of the embedded log, of the data keys.",
			alert: "OvationCorrupt", threshold: 0,
			series: []series{
				{"ovation_store_corrupt_files{$i}", "store {{instance}}"},
				{"ovation_log_corrupt_files{$i}", "log {{instance}}"},
				{"ovation_data_keys_corrupt_files{$i}", "keys {{instance}}"},
			},
		},
		{
			title: "Members without personal values", unit: "short", about: "Members whose personal values could not be decrypted when they were last shown.",
			series: []series{{"ovation_members_unopened{$i}", "{{instance}}"}},
		},
	}},
	{"Machine", []panel{
		{
			title: "CPU", unit: "short", about: "Processors in use by the node.",
			series: []series{{"rate(process_cpu_seconds_total{$i}[$__rate_interval])", "{{instance}}"}},
		},
		{
			title: "Memory", unit: "bytes", about: "Resident memory, and what --memory aims at: it is at most a quarter more.",
			series: []series{
				{"process_resident_memory_bytes{$i}", "resident {{instance}}"},
				{"ovation_memory_budget_bytes{$i}", "budget {{instance}}"},
			},
		},
		{
			title: "Memory by part", unit: "bytes", about: "What memory is for, estimated.",
			series: []series{{"sum by (part) (ovation_memory_bytes{$i})", "{{part}}"}},
		},
		{
			title: "Pauses for garbage collection", unit: "percentunit", about: "Share of the time in which all goroutines pause.",
			series: []series{{"rate(go_gc_duration_seconds_sum{$i}[$__rate_interval])", "{{instance}}"}},
		},
		{
			title: "Goroutines", unit: "short", about: "A number that grows without end is a leak.",
			series: []series{{"go_goroutines{$i}", "{{instance}}"}},
		},
		{
			title: "Open files", unit: "short", about: "Open files and sockets, and how many there may be.",
			series: []series{
				{"process_open_fds{$i}", "open {{instance}}"},
				{"process_max_fds{$i}", "limit {{instance}}"},
			},
		},
		{
			title: "Clock", unit: "s", about: "How far the broker's clock is ahead of the node's; 0 below a minute.",
			series: []series{{"max by (instance) (ovation_clock_ahead_seconds{$i})", "{{instance}}"}},
			alert:  "OvationClock", threshold: 60,
		},
		{
			title: "Up", unit: "s", about: "Time since the process started.",
			series: []series{{"time() - process_start_time_seconds{$i}", "{{instance}}"}},
		},
		{
			title: "Version", unit: "short", about: "Nodes by version, revision and rules.",
			series: []series{{"count by (version, revision, rules) (ovation_build_info{$i})", "{{version}} {{revision}} rules {{rules}}"}},
		},
	}},
}
