package selection

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/serve"
)

// Performer is the ways to name the member that performed an activity: exactly one is given.
type Performer struct {
	ID          bind.ID      `name:"id" doc:"the member; or partnerID and partnerCode, or service and uid" eg:"4097"`
	PartnerCode string       `name:"partnerCode" doc:"with partnerID says who"`
	PartnerID   string       `name:"partnerID" doc:"with partnerCode says who"`
	Service     bind.Service `name:"service" not:"custom" doc:"with uid says who"`
	UID         string       `name:"uid" doc:"with service says who"`
}

// Missing reports that no member is named, or half of a name.
func (in *Performer) Missing(has func(string) bool) string {
	missing := half(has, [2]string{"partnerID", "partnerCode"}, [2]string{"uid", "service"})
	if missing == "" && !has("id") && !has("partnerID") && !has("uid") {
		return "id"
	}
	return missing
}

// Choice names the ways to name the member.
func (in *Performer) Choice(missing string) string {
	if missing != "id" {
		return ""
	}
	return "id, partnerID with partnerCode, or service with uid"
}

// Check refuses a second name of the member.
func (in *Performer) Check() *domain.Error {
	return OnlyOne([]Way{{name: "partnerID", given: in.PartnerID != ""}, {name: "uid", given: in.UID != ""}}, in.ID != 0)
}

// Parameter is the parameter that names the member.
func (in *Performer) Parameter() string {
	switch {
	case in.UID != "":
		return "uid"
	case in.PartnerID != "":
		return "partnerID"
	}
	return "id"
}

// Addressee is the member as it is named.
func (in *Performer) Addressee(req *serve.Request) domain.Addressee {
	to := domain.Addressee{Member: domain.MemberID(in.ID)}
	switch {
	case in.UID != "":
		to.Identity = ServiceIdentity(req, domain.Service(in.Service), in.UID)
	case in.PartnerID != "":
		to.Identity = PartnerIdentity(req, in.PartnerCode, in.PartnerID)
	}
	return to
}

// Refuse refuses a member that is named by its id and was merged into another, or, where the outcome
// of the action is not awaited, is erased.
func (in *Performer) Refuse(ctx context.Context, req *serve.Request, awaited bool) error {
	if in.ID == 0 {
		return nil
	}
	id := domain.MemberID(in.ID)
	err := req.RefuseMerged(ctx, id)
	if err == nil && !awaited && req.Engine.Erased(req.Account(), id) {
		err = domain.ErrErased
	}
	return serve.WithParameter(err, "id")
}

// Addressed are the ids of members; 0: none is known. The error is that of all.
func Addressed(ctx context.Context, req *serve.Request, to []domain.Addressee) ([]domain.MemberID, error) {
	ids, err := req.Engine.Addressed(ctx, req.Account(), to, req.Wait)
	return ids, serve.WaitFault(err)
}
