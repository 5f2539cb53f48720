package collect

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/cmd/ovation/collect/input"
	"github.com/ovation-analytics/ovation/ingest/activity"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// judge finds what the engine would make a dead letter of, before it is published: it reads a record as the engine does,
// and asks the API for the ids that the source gives. It belongs to one goroutine.
type judge struct {
	decoder *activity.Decoder
	api     *API // nil: ids are not asked for
	now     func() time.Time
	found   map[givenID]domain.Reason // of the ids that were asked for; Accepted: it is there

	headers []kafka.Header // of the record that is read
	name    []byte
}

// givenID is the id of a brand or of a definition that the source gives.
type givenID struct {
	kind string
	id   uint32
}

func newJudge(api *API, now func() time.Time) (*judge, error) {
	h, err := activity.NewHasher(make([]byte, activity.MinPepper)) // what is read in a record hangs on no secret
	if err != nil {
		return nil, err
	}
	return &judge{decoder: activity.NewDecoder(h, new(activity.Stats)), api: api, now: now, found: map[givenID]domain.Reason{}}, nil
}

// refusedByEngine is why the engine counts no action of a row: the reason of its dead letter and the field at fault.
type refusedByEngine struct {
	reason domain.Reason
	field  string
}

// Error is the reason in words. None of them is the row's.
func (r refusedByEngine) Error() string {
	return fmt.Sprintf("%s: the engine refuses it (%s)", r.field, r.reason)
}

// maxFound bounds the ids that are remembered.
const maxFound = 1 << 16

// ids is why the ids that the row gives are refused; refusedByEngine concerns the row.
func (j *judge) ids(ctx context.Context, a *input.Action) error {
	if j.api == nil {
		return nil
	}
	for _, g := range []struct {
		givenID
		field   string
		missing domain.Reason
	}{
		{givenID{aDefinition, a.Activity.ID}, "activityID", domain.UnknownActivity},
		{givenID{aBrand, a.Brand.ID}, "brandID", domain.UnknownBrand},
	} {
		if g.id == 0 {
			continue
		}
		reason, asked := j.found[g.givenID]
		if !asked {
			there, err := j.api.has(ctx, g.kind, g.id)
			if err != nil {
				return err
			}
			if !there {
				reason = g.missing
			}
			if len(j.found) >= maxFound {
				clear(j.found)
			}
			j.found[g.givenID] = reason
		}
		if reason != domain.Accepted {
			return refusedByEngine{reason, g.field}
		}
	}
	return nil
}

// record is why the engine refuses the record of an action; nil: it does not.
func (j *judge) record(a *input.Action, m *kafka.Message) error {
	if reason := member.Judge(&domain.Activity{Time: int64(a.Time)}, j.now().UnixMilli(), 0); reason != domain.Accepted {
		return refusedByEngine{reason, "time"}
	}
	j.headers = m.Headers
	r := j.decoder.Review(activity.Incoming{Key: m.Key, Value: m.Value, Headers: j.each})
	if r.Refusal != domain.Accepted {
		return refusedByEngine{r.Refusal, r.Detail}
	}
	return nil
}

// each gives the headers of the record that is read.
func (j *judge) each(yield func(key, value []byte)) {
	for _, h := range j.headers {
		j.name = append(j.name[:0], h.Key...)
		yield(j.name, h.Value)
	}
}

// ofRow reports an error that concerns the row alone.
func ofRow(err error) bool {
	_, refusal := errors.AsType[*Refusal](err)
	_, refused := errors.AsType[refusedByEngine](err)
	return refusal || refused
}

// has reports that the account has a definition or a brand.
func (a *API) has(ctx context.Context, kind string, id uint32) (bool, error) {
	err := a.patiently(ctx, kind, nil, func(c *client.Client) (err error) {
		if kind == aBrand {
			_, _, err = client.Do(ctx, c, client.GetBrand{BrandID: domain.BrandID(id)})
		} else {
			_, _, err = client.Do(ctx, c, client.GetActivity{ActivityID: domain.DefinitionID(id)})
		}
		return err
	})
	if e, answered := errors.AsType[*client.Error](err); answered && (e.Code == domain.NotFound || e.Code == domain.Gone) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("whether there is a %s: %w", kind, err)
	}
	return true, nil
}
