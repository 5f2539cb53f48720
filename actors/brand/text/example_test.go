package text_test

import (
	"fmt"

	"github.com/ovation-analytics/ovation/actors/brand/text"
)

// A keyword is searched for in the values of an object, not in its names, and in any case.
func ExampleKeyword_In() {
	k := text.NewKeyword("moon")
	fmt.Println(k.In([]byte(`{"Artist":"The MOONS"}`)), k.In([]byte(`{"Moon":"none"}`)), k.In([]byte("over the moon")))
	// Output: true false true
}
