package members

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// actionOfIn names an action of a member.
type actionOfIn struct {
	MemberID bind.ID `name:"memberid" doc:"id of the member" eg:"4097"`
	ActionID bind.ID `name:"actionid" doc:"ID of the action in a feed" eg:"12289"`
}

// DeleteAction takes an action out of every number and list, for ever. That it is there
// is judged where the command is applied, which also knows the outcome of a repeat.
func DeleteAction(ctx context.Context, req *serve.Request, in *actionOfIn) (wire.Deleted, error) {
	member := domain.MemberID(in.MemberID)
	s := req.Submission()
	s.Command, s.Slot = &domain.DeleteAction{Member: member, Action: domain.ActionID(in.ActionID)}, member.Slot()
	_, err := req.Submit(ctx, s)
	return wire.Deleted{Deleted: err == nil}, err
}
