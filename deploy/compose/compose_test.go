package compose

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/dotenv"
	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

// load reads a compose file by the schema and rules of the specification.
func load(t *testing.T, text string, env map[string]string, profiles ...string) (*types.Project, error) {
	t.Helper()
	return loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir: ".", Environment: env,
		ConfigFiles: []types.ConfigFile{{Filename: "compose.yaml", Content: []byte(text)}},
	}, func(o *loader.Options) { o.Profiles = profiles })
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Each profile is valid and starts what it says; a misspelt key is refused.
func TestCompose_Profiles(t *testing.T) {
	text := read(t, "compose.yaml")
	env, err := dotenv.UnmarshalWithLookup(read(t, "kafka.env"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		env      map[string]string
		profiles []string
		want     []string
		kafka    string
	}{
		{nil, nil, []string{"ovation"}, ""},
		{env, strings.Split(env["COMPOSE_PROFILES"], ","), []string{"kafka", "ovation"}, "kafka:9092"},
		{nil, []string{"watch"}, []string{"grafana", "ovation", "prometheus"}, ""},
	} {
		p, err := load(t, text, c.env, c.profiles...)
		if err != nil {
			t.Errorf("%v: %v", c.profiles, err)
			continue
		}
		names := p.ServiceNames()
		slices.Sort(names)
		if !slices.Equal(names, c.want) {
			t.Errorf("%v starts %v, want %v", c.profiles, names, c.want)
		}
		if kafka := p.Services["ovation"].Environment["OVATION_KAFKA"]; kafka == nil || *kafka != c.kafka {
			t.Errorf("%v: brokers %v, want %q", c.profiles, kafka, c.kafka)
		}
		for _, s := range p.Services {
			for _, v := range s.Volumes {
				if v.Type != types.VolumeTypeBind {
					continue
				}
				if _, err := os.Stat(v.Source); err != nil {
					t.Errorf("%s mounts what is not there: %v", s.Name, err)
				}
			}
			for _, port := range s.Ports {
				if port.HostIP != "127.0.0.1" {
					t.Errorf("%s is published beyond this machine: %+v", s.Name, port)
				}
			}
		}
	}
	if _, err := load(t, strings.Replace(text, "read_only: true", "readonly: true", 1), nil); err == nil {
		t.Error("a misspelt key is taken")
	}
}

// The node is confined as its image is made for, and takes its command line and its environment.
func TestCompose_Node(t *testing.T) {
	p, err := load(t, read(t, "compose.yaml"), map[string]string{"OVATION_KAFKA": "kafka:9092"})
	if err != nil {
		t.Fatal(err)
	}
	n := p.Services["ovation"]
	if n.User != "65532:65532" || !n.ReadOnly || !slices.Equal(n.CapDrop, []string{"ALL"}) || n.Privileged {
		t.Errorf("it is not confined: user %s, read-only %v, without %v", n.User, n.ReadOnly, n.CapDrop)
	}
	if n.MemLimit == 0 || *n.StopGracePeriod == 0 || n.HealthCheck == nil {
		t.Errorf("%v %v %v", n.MemLimit, n.StopGracePeriod, n.HealthCheck)
	}
	ovation := func(args ...string) {
		t.Helper()
		c := exec.Command("go", append([]string{"run", "../../cmd/ovation"}, args...)...)
		c.Env = append(os.Environ(), "OVATION_KAFKA="+*n.Environment["OVATION_KAFKA"], "OVATION_MEMORY=256MiB")
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("ovation %q: %v: %s", args, err, out)
		}
	}
	if n.Command[0] != "serve" {
		t.Fatalf("command %q", n.Command)
	}
	args := slices.Clone(n.Command[1:])
	for i, a := range args {
		if a == "--data=/data" {
			args[i] = "--data=" + filepath.Join(t.TempDir(), "data")
		}
	}
	ovation(append([]string{"config", "validate"}, args...)...)
	if test := n.HealthCheck.Test; !slices.Equal(test, []string{"CMD", "/ovation", "status", "--ready"}) {
		t.Errorf("health check %q", test)
	}
}
