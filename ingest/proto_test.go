package ingest

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// protoField is a field as journal.proto declares it.
type protoField struct {
	typ, name string
	seen      bool
}

var (
	protoMessage = regexp.MustCompile(`^message (\w+) \{`)
	protoLine    = regexp.MustCompile(`(?:repeated )?(\w+) (\w+) = (\d+);`)
)

// protoMessages are the messages of journal.proto by name.
func protoMessages(t *testing.T) map[string]map[protowire.Number]*protoField {
	t.Helper()
	b, err := os.ReadFile("journal.proto")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]map[protowire.Number]*protoField{}
	var current map[protowire.Number]*protoField
	for line := range strings.Lines(string(b)) {
		line, _, _ = strings.Cut(line, "//")
		if m := protoMessage.FindStringSubmatch(line); m != nil {
			current = map[protowire.Number]*protoField{}
			all[m[1]] = current
		}
		if m := protoLine.FindStringSubmatch(line); m != nil {
			n, err := strconv.Atoi(m[3])
			if err != nil || current == nil || current[protowire.Number(n)] != nil {
				t.Fatalf("journal.proto: %s", line)
			}
			current[protowire.Number(n)] = &protoField{typ: m[1], name: m[2]}
		}
	}
	return all
}

var wireTypes = map[string]protowire.Type{
	"uint32": protowire.VarintType, "uint64": protowire.VarintType, "sint32": protowire.VarintType, "sint64": protowire.VarintType,
	"bool": protowire.VarintType, "fixed64": protowire.Fixed64Type, "string": protowire.BytesType, "bytes": protowire.BytesType,
}

// journal.proto declares every field that is written, with its type, and no other.
func TestTheProtoFileIsTheFormat(t *testing.T) {
	messages := protoMessages(t)
	var walk func(name string, b []byte)
	walk = func(name string, b []byte) {
		for len(b) > 0 {
			num, typ, n := protowire.ConsumeTag(b)
			size := protowire.ConsumeFieldValue(num, typ, b[n:])
			f := messages[name][num]
			if f == nil || size < 0 {
				t.Fatalf("%s: field %d is not declared", name, num)
			}
			f.seen = true
			want, scalar := wireTypes[f.typ]
			if !scalar {
				want = protowire.BytesType
				inner, _ := protowire.ConsumeBytes(b[n:])
				walk(f.typ, inner)
			}
			if typ != want {
				t.Errorf("%s.%s: wire type %d, declared %s", name, f.name, typ, f.typ)
			}
			b = b[n+size:]
		}
	}
	records(func(_ string, r *domain.Record) {
		fill(r, byName, func() int { return 1 })
		walk("Record", AppendRecord(nil, r)[len(magic):])
	})
	for name, fields := range messages {
		for num, f := range fields {
			if !f.seen {
				t.Errorf("%s.%s = %d is declared and never written", name, f.name, num)
			}
		}
	}
}
