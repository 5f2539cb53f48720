package tx

import "github.com/ovation-analytics/ovation/actors/domain"

// Stream is a source partition or a sending shard.
type Stream struct {
	Topic     domain.TopicID
	Partition int32
}

// Sources is how far each stream was applied (I2).
type Sources struct {
	streams map[Stream]*stream
	last    *stream   // of the last record with an origin: records come in runs of one stream
	dirty   []*stream // those that moved since the last commit
}

// stream is how far one stream was applied.
type stream struct {
	applied domain.Origin // the highest
	dirty   bool          // it moved since the last commit
}

func newSources() Sources { return Sources{streams: map[Stream]*stream{}} }

// Load takes an origin from the store.
func (p *Sources) Load(o domain.Origin) {
	p.streams[Stream{o.Topic, o.Partition}] = &stream{applied: o}
}

// Advance notes the origin, if it is above what its stream had applied.
func (p *Sources) Advance(o domain.Origin) bool {
	f := p.last
	if f == nil || f.applied.Partition != o.Partition || f.applied.Topic != o.Topic {
		k := Stream{o.Topic, o.Partition}
		if f = p.streams[k]; f == nil {
			f = &stream{}
			p.streams[k] = f
		}
		p.last = f
	}
	if !f.applied.IsZero() && !o.Above(f.applied) {
		return false
	}
	f.applied = o
	if !f.dirty {
		f.dirty = true
		p.dirty = append(p.dirty, f)
	}
	return true
}

// origins are those that the next commit stores.
func (p *Sources) origins() []domain.Origin {
	out := make([]domain.Origin, 0, len(p.dirty))
	for _, f := range p.dirty {
		out = append(out, f.applied)
	}
	return out
}

// committed forgets which streams moved.
func (p *Sources) committed() {
	for _, f := range p.dirty {
		f.dirty = false
	}
	p.dirty = p.dirty[:0]
}

// Applied is the highest origin applied of a stream; zero: none.
func (p *Sources) Applied(k Stream) domain.Origin {
	if f := p.streams[k]; f != nil {
		return f.applied
	}
	return domain.Origin{}
}

// Reached reports that the commits have reached an offset of a stream.
func (p *Sources) Reached(k Stream, offset uint64) bool {
	f := p.streams[k]
	return f != nil && uint64(f.applied.Offset) >= offset && !f.dirty
}
