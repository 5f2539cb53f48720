package members

import "github.com/ovation-analytics/ovation/api/envelope"

// Service answers with members.
type Service struct{ envelopes envelope.Maker }

// New makes a Service.
func New(envelopes envelope.Maker) *Service { return &Service{envelopes} }
