package shard

// whichApplied tells how far a stream was applied.
func (s *shard) whichApplied(m *WhichApplied) *LastApplied {
	if f := s.flows[m.Stream]; f != nil {
		return &LastApplied{f.applied}
	}
	return &LastApplied{}
}
