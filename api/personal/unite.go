package personal

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// unite is open, of members united with those that are merged into them: each part is opened under
// its own key, and cached by it. The united member is not: nothing of it is there once a key is not.
func (s *Sealer) unite(
	ctx context.Context, members []*domain.Member, cache *openedCache, last bool,
) ([]*domain.Member, error) {
	all := members
	for _, m := range members {
		if m != nil {
			all = appendAbsorbed(all, m)
		}
	}
	opened, err := s.open(ctx, all, cache, last)
	if err != nil || len(all) == len(members) {
		return opened, err
	}
	of := make(map[*domain.Member]*domain.Member, len(all))
	for i, m := range all {
		of[m] = opened[i]
	}
	out := make([]*domain.Member, len(members))
	for i, m := range members {
		if m != nil {
			out[i] = united(m, of)
		}
	}
	return out, nil
}

// appendAbsorbed appends the records of those that are merged into a member, and into them. dst is
// not changed.
func appendAbsorbed(dst []*domain.Member, m *domain.Member) []*domain.Member {
	for i := range m.Absorbed {
		if a := &m.Absorbed[i]; a.Done {
			dst = append(dst[:len(dst):len(dst)], a.Record)
			dst = appendAbsorbed(dst, a.Record)
		}
	}
	return dst
}

// united is a member as opened, with those that are merged into it.
func united(m *domain.Member, opened map[*domain.Member]*domain.Member) *domain.Member {
	return domain.Unite(opened[m], func(a *domain.Absorbed) *domain.Member { return united(a.Record, opened) })
}
