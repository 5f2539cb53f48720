package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// wire is a connection whose answer is known.
type wire struct {
	bytes.Buffer
	answer io.Reader
}

func (w *wire) Read(b []byte) (int, error) { return w.answer.Read(b) }

func exchanged(answer []byte, limit int) error {
	kind := kmsg.NewPtrInitProducerIDResponse()
	kind.SetVersion(versions[kmsg.InitProducerID])
	payload := []byte("request")
	x := &exchange{payload: &payload, correlation: 5, limit: limit, answer: kind}
	_, err := x.RawExchange(&wire{answer: bytes.NewReader(answer)})
	return err
}

// answered is an answer as it comes: size, correlation, tags, body.
func answered(correlation uint32, tags []byte) []byte {
	body := kmsg.NewPtrInitProducerIDResponse()
	body.SetVersion(versions[kmsg.InitProducerID])
	b := binary.BigEndian.AppendUint32(nil, correlation)
	b = body.AppendTo(append(b, tags...))
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...)
}

func TestExchange_RefusesMalformedAnswers(t *testing.T) {
	if err := exchanged(answered(5, []byte{0}), 1000); err != nil {
		t.Fatal(err)
	}
	if err := exchanged(answered(5, []byte{2, 0, 3, 'a', 'b', 'c', 1, 0}), 1000); err != nil {
		t.Fatal("tagged fields in the header:", err)
	}
	good := answered(5, []byte{0})
	for name, b := range map[string][]byte{
		"another's":        answered(6, []byte{0}),
		"tags beyond it":   answered(5, []byte{1, 0, 200}),
		"many tags":        answered(5, []byte{0xff, 0xff, 0xff, 0xff, 0x0f}),
		"size below zero":  {0xff, 0xff, 0xff, 0xff},
		"size above all":   {0x7f, 0xff, 0xff, 0xff},
		"no room for much": {0, 0, 0, 3, 0, 0, 0},
		"body cut":         slices.Concat(binary.BigEndian.AppendUint32(nil, 8), good[4:12]),
	} {
		if err := exchanged(b, 1000); !errors.Is(err, errAnswer) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := exchanged(good[:len(good)-1], 1000); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	if err := exchanged(good, 10); !errors.Is(err, errAnswer) {
		t.Error("an answer above the limit was read")
	}
}

func FuzzSkipTags_ConsumesInput(f *testing.F) {
	f.Add([]byte{0, 1})
	f.Add([]byte{2, 0, 3, 'a', 'b', 'c', 1, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		rest, err := skipTags(b)
		if err == nil && len(rest) >= len(b) {
			t.Fatalf("%d of %d bytes are left", len(rest), len(b))
		}
	})
}
