package member

import (
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func TestGuess_TenWrongWithinAQuarterHourLockTheAddress(t *testing.T) {
	const quarter = 15 * 60 * 1000
	s := New(&domain.RegisterMember{Application: 1}, 1, domain.MemberIDOf(1, 7), 0)
	c := domain.RegisterMember{Application: 1, Service: domain.Email, Identity: identity('e'), Password: "$a$p$salt$right"}
	s.Register(nil, &c, 1)
	guess := func(password string, now int64, want Guess, retry uint32) {
		t.Helper()
		g := c
		g.Password = password
		changes, got, after := s.Guess(nil, &g, now)
		if got != want || after != retry || (len(changes) > 0) != (want == GuessWrong) {
			t.Fatalf("at %d: %d, %d s, %d changes; want %d, %d s", now, got, after, len(changes), want, retry)
		}
		s = NewState(&s.Member) // asleep and awake again
	}
	right, wrong := c.Password, "$a$p$salt$wrong"
	guess(right, 0, GuessRight, 0)
	guess("$a$p$other$right", 0, GuessStale, 0)
	guess("", 0, GuessStale, 0)
	for i := range int64(9) {
		guess(wrong, 1+i, GuessWrong, 0)
	}
	guess(right, 50, GuessRight, 0)
	guess(wrong, quarter+1, GuessWrong, 0) // the first of nine is forgotten
	guess(wrong, quarter+2, GuessWrong, 0) // and the second
	for i := range int64(7) {
		guess(wrong, quarter+20+i, GuessWrong, 0)
	}
	guess(right, quarter+30, GuessRight, 0) // nine of a quarter
	guess(wrong, quarter+31, GuessWrong, 0)
	guess(right, quarter+32, GuessLocked, 900)
	guess(wrong, 2*quarter+30, GuessLocked, 1)
	guess(right, 2*quarter+31, GuessRight, 0)

	other := domain.RegisterMember{Service: domain.Email, Identity: identity('o'), Password: "$x"}
	if changes, g, _ := s.Guess(nil, &other, 5); g != GuessRight || changes != nil {
		t.Fatalf("an address without a password: %d", g)
	}
}
