package avatar

import (
	"bytes"
	"encoding/xml"
	"io"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// A picture is well-formed XML in the namespace of SVG, small, and the same each time.
func TestOf_SmallWellFormedAndTheSame(t *testing.T) {
	for _, id := range []uint64{1, 2, 7, 4097, 1 << 40, domain.MaxID} {
		b := Of(id)
		if len(b) > 512 || !bytes.Equal(b, Of(id)) {
			t.Errorf("%d: %d bytes", id, len(b))
		}
		dec := xml.NewDecoder(bytes.NewReader(b))
		var names []string
		for {
			token, err := dec.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%d: %v: %s", id, err, b)
			}
			if e, ok := token.(xml.StartElement); ok {
				if e.Name.Space != "http://www.w3.org/2000/svg" {
					t.Errorf("%d: %s is in the namespace %q", id, e.Name.Local, e.Name.Space)
				}
				names = append(names, e.Name.Local)
			}
		}
		if len(names) != 3 || names[0] != "svg" {
			t.Errorf("%d: elements %v", id, names)
		}
	}
}

// Of many members few have the same picture as another one.
func TestOf_PicturesDiffer(t *testing.T) {
	seen := map[string]bool{}
	for id := range uint64(1000) {
		seen[string(Of(id+1))] = true
	}
	if len(seen) < 980 {
		t.Errorf("1000 members have %d pictures", len(seen))
	}
}

// A name is that of a picture if it is one number of an id and the suffix.
func TestMember_NamesOfPictures(t *testing.T) {
	for name, want := range map[string]uint64{
		"1.svg": 1, "4097.svg": 4097, "9007199254740991.svg": domain.MaxID,
		"9007199254740992.svg": 0, "18446744073709551617.svg": 0, "0.svg": 0, "01.svg": 0, "+1.svg": 0, "-1.svg": 0, "1": 0, ".svg": 0, "1.SVG": 0,
		"1.svg.svg": 0, "a.svg": 0, "1 .svg": 0, "1_0.svg": 0, "": 0,
	} {
		id, ok := Member(name)
		if ok != (want != 0) || ok && id != want {
			t.Errorf("%q: %d %t", name, id, ok)
		}
	}
}

// BenchmarkOf is one picture.
func BenchmarkOf(b *testing.B) {
	b.ReportAllocs()
	for id := uint64(1); b.Loop(); id++ {
		if len(Of(id)) == 0 {
			b.Fatal("no picture")
		}
	}
}
