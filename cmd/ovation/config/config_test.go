package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

// parse gives the configuration that the arguments, the environment and a file
// (if not empty) give together.
func parse(t *testing.T, args []string, env map[string]string, file string) (*Config, error) {
	t.Helper()
	for name, value := range env {
		t.Setenv(name, value)
	}
	if file != "" {
		path := filepath.Join(t.TempDir(), "ovation.yaml")
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append([]string{"--config", path}, args...)
	}
	var cli struct {
		Config File
		Demo   struct {
			Config
			Members int
		} `cmd:""`
		Serve struct{ Config }      `cmd:""`
		App   struct{ Plan string } `cmd:""`
	}
	parser, err := kong.New(&cli, kong.DefaultEnvars("OVATION"), kong.Resolvers(NoValues))
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(append([]string{"serve"}, args...))
	return &cli.Serve.Config, err
}

func defaults() *Config {
	return &Config{
		Data: "data", HTTP: "127.0.0.1:8080", EmbeddedKafka: "127.0.0.1:9092", Shards: 8, MaxRows: 500_000_000, LogLevel: "info", LogFormat: "text",
		KafkaAccess: KafkaAccess{KafkaSASL: "none"},
		AdminPort:   AdminPort{Admin: "127.0.0.1:8081"},
		SignIn:      SignIn{OIDCClaim: "groups", OIDCScopes: []string{"profile", "email"}},
		Traces:      Traces{TraceRequests: 1, TraceRecords: 0.001},
	}
}

// A flag outranks the environment, that the file, and that the default.
func TestConfig_Precedence(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		env  map[string]string
		file string
		want func(*Config)
	}{
		{"defaults", nil, nil, "", func(*Config) {}},
		{"file", nil, nil, "shards: 16\nkafka: [a:1, b:2]\nmemory: 2GiB\n", func(c *Config) {
			c.Shards, c.Kafka, c.Memory = 16, []string{"a:1", "b:2"}, 2<<30
		}},
		{"file, a list in one text", nil, nil, "kafka: a:1,b:2", func(c *Config) { c.Kafka = []string{"a:1", "b:2"} }},
		{"file, memory in bytes", nil, nil, "memory: 268435456", func(c *Config) { c.Memory = 256 << 20 }},
		{"file, text that looks like a number keeps its digits", nil, nil, "topic-prefix: 1.10", func(c *Config) { c.TopicPrefix = "1.10" }},
		{"file, null is absent", nil, nil, "shards:\nhttp: 127.0.0.1:1", func(c *Config) { c.HTTP = "127.0.0.1:1" }},
		{"file with words of demo", nil, nil, "members: 5\nshards: 9", func(c *Config) { c.Shards = 9 }},
		{"empty file", nil, nil, "# nothing\n", func(*Config) {}},
		{"environment", nil, map[string]string{"OVATION_SHARDS": "32", "OVATION_KAFKA": "a:1,b:2", "OVATION_ADMIN": "127.0.0.1:9"}, "", func(c *Config) {
			c.Shards, c.Kafka, c.AdminPort.Admin = 32, []string{"a:1", "b:2"}, "127.0.0.1:9"
		}},
		{"environment over file", nil, map[string]string{"OVATION_SHARDS": "32"}, "shards: 16\ntopic-prefix: x.", func(c *Config) {
			c.Shards, c.TopicPrefix = 32, "x."
		}},
		{"environment over a bad value in the file", nil, map[string]string{"OVATION_SHARDS": "32"}, "shards: many", func(c *Config) { c.Shards = 32 }},
		{"flag over environment", []string{"--shards=64"}, map[string]string{"OVATION_SHARDS": "32"}, "", func(c *Config) { c.Shards = 64 }},
		{"flag over file", []string{"--shards=64"}, nil, "shards: 16", func(c *Config) { c.Shards = 64 }},
		{"flag over all", []string{"--shards=64"}, map[string]string{"OVATION_SHARDS": "32"}, "shards: 16", func(c *Config) { c.Shards = 64 }},
		{"flag over a bad value in the environment", []string{"--shards=64"}, map[string]string{"OVATION_SHARDS": "many"}, "", func(c *Config) { c.Shards = 64 }},
		{"a flag that says the default outranks too", []string{"--shards=8"}, map[string]string{"OVATION_SHARDS": "32"}, "shards: 16", func(*Config) {}},
		{"a list is replaced, not added to", []string{"--kafka=c:3"}, nil, "kafka: [a:1, b:2]", func(c *Config) { c.Kafka = []string{"c:3"} }},
		{
			"the standard's name", nil,
			map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a:4318"},
			"",
			func(c *Config) { c.Traces.OTLPEndpoint = "http://a:4318" },
		},
		{
			"the program's name over the standard's", nil,
			map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a:4318", "OVATION_OTLP_ENDPOINT": "http://b:4318"},
			"",
			func(c *Config) { c.Traces.OTLPEndpoint = "http://b:4318" },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parse(t, c.args, c.env, c.file)
			if err != nil {
				t.Fatal(err)
			}
			want := defaults()
			c.want(want)
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// The name of the file may come from the environment.
func TestConfig_FileFromTheEnvironment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ovation.yaml")
	if err := os.WriteFile(path, []byte("shards: 3"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := parse(t, nil, map[string]string{"OVATION_CONFIG": path}, "")
	if err != nil || got.Shards != 3 {
		t.Errorf("shards %d, %v; want 3", got.Shards, err)
	}
}

// A bad value is refused by its name, from wherever it comes.
func TestConfig_BadValue(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		env  map[string]string
		file string
		want []string // all in the error
	}{
		{"number", []string{"--shards=many"}, nil, "", []string{"--shards", "many"}},
		{"too few shards", []string{"--shards=0"}, nil, "", []string{"--shards: 0", "4096"}},
		{"too many shards", []string{"--shards=4097"}, nil, "", []string{"--shards: 4097"}},
		{"address without port", []string{"--http=localhost"}, nil, "", []string{`--http: "localhost" is not HOST:PORT`}},
		{"port out of range", []string{"--admin=localhost:70000"}, nil, "", []string{"--admin", "70000", "65535"}},
		{"broker", []string{"--kafka=a:1,b"}, nil, "", []string{`--kafka: "b" is not HOST:PORT`}},
		{"base without a scheme", []string{"--base-url=api.example.com"}, nil, "", []string{`--base-url: "api.example.com"`}},
		{"size", []string{"--memory=lots"}, nil, "", []string{"--memory", `"lots" is not a size`}},
		{"small size", []string{"--memory=1KiB"}, nil, "", []string{"--memory: 1KiB is less than 256MiB"}},
		{"prefix", []string{"--topic-prefix=a/b"}, nil, "", []string{"--topic-prefix", `"a/b"`}},
		{"level", []string{"--log-level=loud"}, nil, "", []string{"--log-level", `"loud"`}},
		{"no data", []string{"--data="}, nil, "", []string{"--data: a directory is required"}},
		{"share", []string{"--trace-records=1.5"}, nil, "", []string{"--trace-records: 1.5 is not between 0 and 1"}},
		{"share that is no number", []string{"--trace-requests=NaN"}, nil, "", []string{"--trace-requests: NaN is not between 0 and 1"}},
		{"collector", nil, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "127.0.0.1:4317"}, "", []string{"--otlp-endpoint", "no http or https address"}},
		{"two at once", []string{"--shards=0", "--http=x"}, nil, "", []string{"--shards: 0", `--http: "x"`}},
		{"environment", nil, map[string]string{"OVATION_SHARDS": "many"}, "", []string{"--shards", "OVATION_SHARDS", "many"}},
		{"file", nil, nil, "shards: many", []string{"--shards", "many", "ovation.yaml"}},
		{"file, out of range", nil, nil, "shards: 0", []string{"--shards: 0"}},
		{"unknown key", nil, nil, "shard: 8", []string{"--config", `unknown key "shard"`}},
		{"a key that is no setting", nil, nil, "plan: standard", []string{`unknown key "plan"`}},
		{"key twice", nil, nil, "shards: 8\nshards: 9", []string{"line 2", "already defined"}},
		{"a mapping as value", nil, nil, "http:\n  port: 80", []string{"http: neither a plain value nor a list"}},
		{"a list within a list", nil, nil, "kafka: [[a:1]]", []string{"kafka: a list within a list"}},
		{"a list of nothing known", nil, nil, "- a\n- b", []string{"not a YAML mapping"}},
		{"not YAML", nil, nil, "shards: [8", []string{"ovation.yaml", "line 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parse(t, c.args, c.env, c.file)
			if err == nil {
				t.Fatal("accepted")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
		})
	}
}

// A file that is too long or missing is refused.
func TestConfig_BadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.yaml")
	if err := os.WriteFile(path, []byte(strings.Repeat("#", maxConfigFile+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := parse(t, []string{"--config", path}, nil, ""); err == nil || !strings.Contains(err.Error(), "longer than 1MiB") {
		t.Errorf("long file: %v", err)
	}
	if _, err := parse(t, []string{"--config", path + ".not"}, nil, ""); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("no file: %v", err)
	}
}

// A file never makes the parser panic.
func FuzzConfigFile_AnyText(f *testing.F) {
	for _, seed := range []string{"shards: 8", "kafka: [a:1, b:2]", "a: &x 1\nb: *x", "- a", "memory: 3GiB", "a: |\n  x\n", "? a\n: b", "{}", "---\n---\na: b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if values, err := parseConfig([]byte(text)); err == nil && values == nil {
			t.Error("neither values nor an error")
		}
	})
}
