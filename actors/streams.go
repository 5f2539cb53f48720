package actors

// whichApplied tells how far a stream was applied.
func (s *shard) whichApplied(m *whichApplied) *lastApplied {
	if f := s.flows[m.stream]; f != nil {
		return &lastApplied{f.applied}
	}
	return &lastApplied{}
}
