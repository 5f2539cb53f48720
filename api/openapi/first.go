package openapi

import (
	"slices"

	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/serve"
)

// needed are the optional parameters of an operation's first request, by its id: without one of them
// the operation refuses it or changes nothing.
var needed = map[string][]string{
	"findMember": {"email"}, "getAuth": {"accessToken"}, "authenticate": {"accessToken"}, "getUsage": {"period"},
	"recordActivity": {"id", "brandid"}, "recordActivities": {"id", "brandid"},
	"registerMember": {"uid", "authtoken"}, "registerMembers": {"uid", "authtoken"},
	"attachService": {"uid", "authtoken"}, "loginMember": {"uid", "authtoken"},
	"optIn": {"id"}, "optOut": {"id"}, "optInToBrand": {"id"}, "optOutOfBrand": {"id"},
	"optInToSegment": {"id"}, "optOutOfSegment": {"id"},
	"editBrand": {"name"}, "editActivity": {"name"}, "editSegment": {"name"}, "updateMember": {"firstname"},
	"editWebhook": {"batch"}, "redeliver": {"id"},
}

// InFirst reports that a parameter is in an operation's first request: the smallest one that does what
// the operation is for. Its values are the examples of its parameters.
func InFirst(o *serve.Operation, q *bind.Param) bool {
	return q.Required || slices.Contains(needed[o.ID], q.Name)
}
