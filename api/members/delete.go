package members

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/personal"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// actionOfIn names an action of a member.
type actionOfIn struct {
	MemberID bind.ID `name:"memberid" doc:"id of the member" eg:"4097"`
	ActionID bind.ID `name:"actionid" doc:"ID of the action in a feed" eg:"12289"`
}

// DeleteAction takes an action out of every number and list, for ever. That it is there
// is judged where the command is applied, which also knows the outcome of a repeat. An action's id
// has the slot of the member that it is of: that may be one who is merged into the member named.
func DeleteAction(ctx context.Context, req *serve.Request, in *actionOfIn) (wire.Deleted, error) {
	member, action := domain.MemberID(in.MemberID), domain.ActionID(in.ActionID)
	if err := req.RefuseMerged(ctx, member); err != nil {
		return wire.Deleted{}, err
	}
	err := deleteFrom(ctx, req, member, action, 0)
	if domain.CodeOf(err) != domain.NotFound {
		return wire.Deleted{Deleted: err == nil}, err
	}
	if m, fault := req.Member(ctx, member, req.Wait); fault == nil {
		for n, owner := range m.InSlot(action.Slot()) {
			if owner == member {
				continue
			}
			if err = deleteFrom(ctx, req, owner, action, 1+n); domain.CodeOf(err) != domain.NotFound {
				break
			}
		}
	}
	return wire.Deleted{Deleted: err == nil}, err
}

// deleteFrom is the n-th attempt of a request: to delete an action of a member.
func deleteFrom(ctx context.Context, req *serve.Request, owner domain.MemberID, action domain.ActionID, n int) error {
	s := req.Submission()
	s.Request = personal.AttemptID(s.Request, n)
	s.Command, s.Slot = &domain.DeleteAction{Member: owner, Action: action}, owner.Slot()
	_, err := req.Submit(ctx, s)
	return err
}
