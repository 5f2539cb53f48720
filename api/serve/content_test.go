package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"testing"
)

// FuzzSplit_RecordsInOrder holds that the records found are there, in order, and few enough, and that
// lines of an array are as its elements.
func FuzzSplit_RecordsInOrder(f *testing.F) {
	const goodRecord = `{"activityid":100,"brandid":1,"id":4097}`
	for _, s := range []string{"", "[]", "[1]", "[1,2", goodRecord + "\n" + goodRecord, "[" + goodRecord + "]", "[[[1]],{}]x", "\r\n a \n\n b", "[\"\xff\"]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		records, err := split(body)
		if len(records) > MaxRecords {
			t.Fatalf("%d records", len(records))
		}
		rest := body
		for _, r := range records {
			at := bytes.Index(rest, r)
			if len(r) == 0 || at < 0 || !bytes.Equal(bytes.Trim(r, jsonBlanks), r) {
				t.Fatalf("record %q is not in %q", r, rest)
			}
			rest = rest[at+len(r):]
		}
		if trimmed := bytes.Trim(body, jsonBlanks); len(trimmed) == 0 || trimmed[0] != '[' {
			return
		}
		var whole []json.RawMessage
		if good := json.Unmarshal(body, &whole) == nil; good != (err == nil) && !errors.Is(err, errManyRecords) {
			t.Fatalf("%q is an array: %t, split says %v", body, good, err)
		} else if good && err == nil {
			var got []json.RawMessage
			for _, r := range records {
				got = append(got, r)
			}
			if len(whole) != len(got) || len(got) > 0 && !reflect.DeepEqual(whole, got) {
				t.Fatalf("%q: %q, want %q", body, got, whole)
			}
		}
	})
}
