package rows

import "github.com/ovation-analytics/ovation/actors/brand/outline"

// Options are the sizes. The zero value is what measurements recommend; tests use
// small ones.
type Options struct {
	Promote  int // rows of a brand from which it has columns of its own; default 1,024
	TailMin  int // first size of a tail; default 64
	TailMax  int // rows at which a tail is sealed; default 4,096
	FanIn    int // so many small chunks are compacted at once; default 16: 4,096 become 65,536
	ChunkMax int // no chunk grows beyond; default and most 65,536
	Outline  int // marks that the outline of a cold set has at most; default 1,024
	Thin     int // a chunk is rewritten when one in so many rows is deleted; default 8
}

const MaxChunk = 1 << 16 // positions in a chunk are u16

func (o Options) orDefault() Options {
	def := func(p *int, v int) {
		if *p <= 0 {
			*p = v
		}
	}
	def(&o.Promote, 1024)
	def(&o.TailMin, 64)
	def(&o.TailMax, 4096)
	def(&o.FanIn, 16)
	def(&o.ChunkMax, MaxChunk)
	def(&o.Thin, 8)
	def(&o.Outline, outline.Marks)
	o.ChunkMax = min(o.ChunkMax, MaxChunk)
	o.TailMax = min(o.TailMax, o.ChunkMax)
	o.TailMin = min(o.TailMin, o.TailMax)
	o.FanIn = max(o.FanIn, 2)
	return o
}
