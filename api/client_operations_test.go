package api

import (
	"context"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/api/client"
)

// A client has a method for each operation.
func TestClient_HasEveryOperation(t *testing.T) {
	asked := map[string]bool{}
	c := client.New("http://127.0.0.1", "k").Over(&http.Client{Transport: noting(func(r *http.Request) {
		asked[r.Method+" "+regexp.MustCompile(`/[17](/|$)`).ReplaceAllString(r.URL.Path, "/:$1")] = true
	})})
	v := reflect.ValueOf(c)
	for i := range v.NumMethod() {
		m := v.Method(i)
		if m.Type().NumIn() < 1 || m.Type().In(0) != reflect.TypeFor[context.Context]() || strings.HasPrefix(v.Type().Method(i).Name, "Get") || strings.HasPrefix(v.Type().Method(i).Name, "Post") {
			continue
		}
		for _, number := range []uint64{0, 1} { // 0: without a brand
			for _, path := range []string{"", "brand/7", "segment/7"} {
				in := []reflect.Value{reflect.ValueOf(t.Context())}
				for a := 1; a < m.Type().NumIn(); a++ {
					arg := reflect.New(m.Type().In(a)).Elem()
					switch arg.Kind() {
					case reflect.Uint32, reflect.Uint64:
						arg.SetUint(number)
					case reflect.String:
						arg.SetString(path)
					}
					in = append(in, arg)
				}
				m.Call(in)
			}
		}
	}
	for _, o := range Operations() {
		if name := o.Method + " " + regexp.MustCompile(`:\w+`).ReplaceAllString(o.Path, ":"); !asked[name] {
			t.Errorf("no method of a client asks %s", name)
		}
	}
}

// noting notes requests and answers none.
type noting func(*http.Request)

func (f noting) RoundTrip(r *http.Request) (*http.Response, error) {
	f(r)
	return nil, http.ErrServerClosed
}
