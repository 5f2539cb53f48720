package config

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/cmd/ovation/files"
	"github.com/ovation-analytics/ovation/cmd/ovation/size"
	"github.com/ovation-analytics/ovation/cmd/ovation/tuning"
)

// Config is how a node runs: the same for serve and demo, and the one place where a
// flag, its variable of the environment (OVATION_ and the name), its key in the
// file of --config and its default are written. A flag outranks the environment,
// that the file, and that the default.
type Config struct {
	Data          string     `group:"Storage and limits" default:"data" placeholder:"DIR" help:"Directory of the store, of the data keys, of the embedded log and, unless --secrets says otherwise, of the secrets. Below 256 MiB of free space the embedded log takes nothing more, below 128 MiB the store; both go on when there is more."`
	HTTP          string     `group:"API" name:"http" default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Address of the API."`
	BaseURL       string     `group:"API" name:"base-url" placeholder:"URL" help:"Scheme and host under which clients reach the API, such as https://api.example.com: needed behind a proxy (default: what a request asked for)."`
	Kafka         []string   `group:"Kafka" sep:"," placeholder:"HOST:PORT" help:"Bootstrap brokers. Without any the embedded log is used."`
	EmbeddedKafka string     `group:"Kafka" default:"127.0.0.1:9092" placeholder:"HOST:PORT" help:"Address at which the embedded log speaks the Kafka protocol."`
	Zone          string     `group:"Node" placeholder:"NAME" help:"Failure domain of this node, such as a rack or an availability zone, for the list of nodes."`
	TrustClock    bool       `group:"Kafka" help:"Take the clock of this machine for right though the embedded log's last record is more than an hour ahead of it, or more than 90 days behind."`
	TopicPrefix   string     `group:"Kafka" placeholder:"TEXT" help:"Comes before the name of every topic."`
	Shards        int        `group:"Kafka" default:"8" placeholder:"N" help:"Partitions of the journal, of a new installation; another one keeps its number and warns."`
	Memory        size.Bytes `group:"Storage and limits" default:"0" placeholder:"SIZE" help:"Resident memory to aim at, at most a quarter more under any load: bytes, or with KiB, MiB, GiB; at least 256MiB. 0: two thirds of the cgroup's limit, else a quarter of the machine's memory; of a demo 256MiB."`
	MaxRows       int        `group:"Storage and limits" default:"500000000" placeholder:"N" help:"Rows that one question may read; one that would read more is refused with code 12. 0: no bound."`
	AdminHost     []string   `group:"Admin port" sep:"," placeholder:"NAME" help:"Names by which the admin port is asked, beside addresses, localhost and the host of --admin; others get 403, so that no web page reads it by a name of its own. Without any, a port beyond loopback takes all names, as scrapers by DNS need."`
	LogLevel      string     `group:"Node" default:"info" enum:"debug,info,warn,error" placeholder:"LEVEL" help:"Least level that is logged: ${enum}. ovation log-level changes it while the node runs."`
	LogFormat     string     `group:"Node" default:"text" enum:"text,json" placeholder:"FORMAT" help:"Form of a line of the log: ${enum}."`

	PrivateFiles PrivateFiles `embed:"" group:"Secrets"`
	KafkaAccess  KafkaAccess  `embed:"" group:"Kafka"`
	AdminPort    AdminPort    `embed:"" group:"Admin port"`
	PublicPort   PublicPort   `embed:"" group:"API"`
	BehindProxy  BehindProxy  `embed:"" group:"API"`
	Webhooks     Webhooks     `embed:"" group:"API"`
	SignIn       SignIn       `embed:"" group:"Console"`
	Traces       Traces       `embed:"" group:"Traces"`

	Demo  bool           `kong:"-"` // the page of the document takes a key from its address
	Level *slog.LevelVar `kong:"-"` // of the last Logger
}

// AdminPort is where the admin port is and what opens it: for the node that serves
// it, and for the commands that ask it.
type AdminPort struct {
	Admin      string `default:"127.0.0.1:8081" placeholder:"HOST:PORT" help:"Address of the admin port."`
	AdminToken string `placeholder:"FILE" help:"File of the token without which nobody beyond loopback may manage."`
}

// maxPrefix leaves room in a topic's name, which has at most 249 characters.
const maxPrefix = 100

// maxZone bounds what the catalog keeps of a node.
const maxZone = 100

// Kafka's own rule for topic names.
var topicPrefix = regexp.MustCompile(`^[a-zA-Z0-9._-]*$`)

// Validate is everything that is wrong with the values, each by its flag.
func (c *Config) Validate() error {
	var errs []error
	bad := func(flag, format string, args ...any) {
		errs = append(errs, fmt.Errorf("--%s: "+format, append([]any{flag}, args...)...))
	}
	addresses := func(flag string, values ...string) {
		for _, v := range values {
			if err := checkAddress(v); err != nil {
				bad(flag, "%w", err)
			}
		}
	}
	if c.Data == "" {
		bad("data", "a directory is required")
	}
	addresses("http", c.HTTP)
	if !isBase(c.BaseURL) {
		bad("base-url", "%q is no http or https address", c.BaseURL)
	}
	addresses("kafka", c.Kafka...)
	if len(c.Kafka) == 0 {
		addresses("embedded-kafka", c.EmbeddedKafka)
	}
	if !topicPrefix.MatchString(c.TopicPrefix) || len(c.TopicPrefix) > maxPrefix {
		bad("topic-prefix", "%q: only letters, digits, dot, underscore and hyphen, at most %d", c.TopicPrefix, maxPrefix)
	}
	if c.Shards < 1 || c.Shards > domain.Slots {
		bad("shards", "%d is not between 1 and %d", c.Shards, domain.Slots)
	}
	if c.Memory != 0 && c.Memory < tuning.MinMemory {
		bad("memory", "%v is less than %v, the least that a node runs in", c.Memory, size.Bytes(tuning.MinMemory))
	}
	for _, name := range c.AdminHost {
		if name == "" || strings.ContainsAny(name, ":/[] ") {
			bad("admin-host", "%q is no name of a host; it has no port", name)
		}
	}
	if len(c.Zone) > maxZone || strings.ContainsFunc(c.Zone, unicode.IsControl) {
		bad("zone", "%q: at most %d bytes, none of them a control character", c.Zone, maxZone)
	}
	if c.MaxRows < 0 {
		bad("max-rows", "%d is less than 0", c.MaxRows)
	}
	if len(c.Kafka) == 0 && c.KafkaAccess.wanted() {
		errs = append(errs, errors.New("--kafka-tls, --kafka-ca, --kafka-cert, --kafka-sasl, --kafka-user: "+
			"without --kafka there is no broker to show it to"))
	}
	if own := c.OwnAddress(); own != "" && c.EmbeddedKafka != embeddedKafka { // both were asked for
		bad("kafka", "%s is this node's own --embedded-kafka, which it serves only without --kafka (OVATION_KAFKA)", own)
	}
	return errors.Join(append(errs, c.KafkaAccess.Validate(), c.AdminPort.Validate(), c.PublicPort.Validate(), c.BehindProxy.Validate(), c.Webhooks.Validate(), c.SignIn.Validate(c.BaseURL), c.Traces.Validate())...)
}

// embeddedKafka is --embedded-kafka where none is given.
const embeddedKafka = "127.0.0.1:9092"

// OwnAddress is the broker of --kafka that is at the address of --embedded-kafka; empty: none.
func (c *Config) OwnAddress() string {
	for _, broker := range c.Kafka {
		if host, port := here(broker); port != "0" && host != "" {
			if own, at := here(c.EmbeddedKafka); own == host && at == port {
				return broker
			}
		}
	}
	return ""
}

// here is an address whose host is a name of this machine's loopback, or of all its addresses, in one form.
func here(address string) (host, port string) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", ""
	}
	ip := net.ParseIP(host)
	if host == "" || strings.EqualFold(host, "localhost") || ip != nil && (ip.IsLoopback() || ip.IsUnspecified()) {
		return "localhost", port
	}
	return strings.ToLower(host), port
}

// isBase reports that a text is an http or https address, or none.
func isBase(text string) bool {
	if text == "" {
		return true
	}
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// Validate is what is wrong with the address.
func (a *AdminPort) Validate() error {
	if err := checkAddress(a.Admin); err != nil {
		return fmt.Errorf("--admin: %w", err)
	}
	return nil
}

// Token is the admin port's token; empty without --admin-token.
func (a *AdminPort) Token() (string, error) {
	if a.AdminToken == "" {
		return "", nil
	}
	text, err := files.ReadPrivate(a.AdminToken, 4<<10)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if err := admin.CheckToken(token); err != nil {
		return "", fmt.Errorf("%s: %w", a.AdminToken, err)
	}
	return token, nil
}

// SecretsFile is where the secrets are.
func (c *Config) SecretsFile() string {
	if c.PrivateFiles.Secrets != "" {
		return c.PrivateFiles.Secrets
	}
	return filepath.Join(c.Data, "secrets.yaml")
}

// Logger logs to standard error in the configured form, from the configured level on: Level changes that.
func (c *Config) Logger() *slog.Logger { return c.logger(os.Stderr) }

func (c *Config) logger(w io.Writer) *slog.Logger {
	c.Level = new(slog.LevelVar)
	if err := c.Level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		c.Level.Set(slog.LevelInfo)
	}
	o := &slog.HandlerOptions{Level: c.Level}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

func checkAddress(s string) error {
	_, port, err := net.SplitHostPort(s)
	if err != nil {
		return fmt.Errorf("%q is not HOST:PORT", s)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("%q: the port is not a number from 0 to 65535", s)
	}
	return nil
}
