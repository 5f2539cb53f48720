package remedy

import "fmt"

// StartAnew is what to do about a log of an older version.
const StartAnew = "run the ovation that wrote the log, " +
	"or start a new installation with an empty --data and another --topic-prefix"

// Text puts cause, effect and remedy together.
func Text(cause error, effect, todo string) string {
	return fmt.Sprintf("%v. Effect: %s. To do: %s.", cause, effect, todo)
}
