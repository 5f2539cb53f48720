package e2e

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// The parts of the values of a population that occur nowhere else: of those that are sealed, and
// of those that are kept in clear, which questions filter by.
const (
	sealedMark  = "zqxvwk"
	clearMark   = "kwyjgq"
	sealedNet   = "2001:db8:7a71:"
	sealedYear  = "1907"
	sealedDay   = "-07-23"
	personCount = 24
)

// person is a member with a value of its own in every parameter.
type person struct{ n int }

// value is another one at each call.
func value(mark string) string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return mark + hex.EncodeToString(b[:])
}

// registered is a registration with all parameters.
func (p person) registered() client.Params {
	private := func() string { return value(sealedMark) }
	out := client.Params{
		"firstname": private(), "surname": private(), "username": private(), "email": private() + "@" + private() + ".example",
		"birthdate": "23-07-" + sealedYear, "gender": "F", "country": "NO", "postcode": private(),
		"avatarurl": "https://" + private() + ".example/a.png", "userurl": "https://" + private() + ".example/u",
		"sourceuid": private(), "code": value(clearMark), "city": private(), "region": value(clearMark),
		"domain": value(clearMark) + ".example", "paidaccount": "1",
		"ip": sealedNet + ":" + strconv.FormatInt(int64(p.n+1), 16), "useragent": "Mozilla/5.0 (" + private() + ")",
		"webpath": "/" + value(clearMark) + "?q=" + private(), "referring_url": "https://" + private() + ".example", "visitor": private(),
	}
	if p.n%3 == 0 {
		out["service"], out["password"] = "email", private()
	} else {
		out["service"], out["uid"], out["authtoken"], out["authsecret"] = "spotify", private(), private(), private()
	}
	return out
}

// updated is an update of what a registration does not give.
func (p person) updated() client.Params {
	private := func() string { return value(sealedMark) }
	return client.Params{
		"bio": private(), "address": private(), "addressline2": private(), "homephone": private(), "mobilephone": private(),
		"website": "https://" + private() + ".example", "extended": fmt.Sprintf(`{"%s":"%s"}`, private(), private()),
		"surname": private(),
	}
}

// No value that names, locates or authenticates a member is in a file of node or journal, in a log
// line, a metric or the status; values that are clear on purpose are found.
func TestPersonal_NoValueIsInAFile(t *testing.T) {
	onBothLogs(t, personalValues)
}

func personalValues(t *testing.T, on site) {
	n := on.start(t)
	_, key := n.account("sealed")
	api := n.api(key)
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var ids []domain.MemberID
	var many []client.RegisterMembersRecord
	for i := range personCount {
		p := person{i}
		if i%2 == 1 {
			many = append(many, client.RegisterMembersRecord{More: p.registered()})
			continue
		}
		e, _, err := client.Do(ctx(t), api, client.RegisterMember{More: p.registered()})
		ok(err)
		ids = append(ids, domain.MemberID(e.Data.ID))
	}
	out, _, err := client.Do(ctx(t), api, client.RegisterMembers{Records: many})
	ok(err)
	if out.Accepted != len(many) {
		t.Fatalf("%+v", out)
	}
	for _, row := range out.Items {
		id, err := strconv.ParseUint(row.ID, 10, 64)
		ok(err)
		ids = append(ids, domain.MemberID(id))
	}
	shown := 0
	for i, id := range ids {
		_, _, err := client.Do(ctx(t), api, client.UpdateMember{MemberID: id, More: person{i}.updated()})
		ok(err)
		attached := client.Params{"service": "lastfm", "uid": value(sealedMark), "authtoken": value(sealedMark)}
		_, _, err = client.Do(ctx(t), api, client.AttachService{MemberID: id, More: attached})
		ok(err)
		_, _, err = client.Do(ctx(t), api, client.VerifyMember{MemberID: id, Service: "lastfm", VerifiedEmail: value(sealedMark) + "@x.example"})
		ok(err)
		attached["authtoken"], attached["ip"] = value(sealedMark), sealedNet+":ffff"
		_, _, err = client.Do(ctx(t), api, client.LoginMember{More: attached})
		ok(err)
		_, _, err = client.Do(ctx(t), api, client.FindMember{Email: value(sealedMark) + "@y.example"}) // a miss
		if err == nil {
			t.Fatal("an address of no member has one")
		}
		e, _, err := client.Do(ctx(t), api, client.GetMember{MemberID: id})
		ok(err)
		if e.Data.Bio != nil && strings.HasPrefix(*e.Data.Bio, sealedMark) && e.Data.VerifiedEmail != nil {
			shown++
		}
	}
	if shown != personCount {
		t.Fatalf("%d of %d members show what they were given", shown, personCount)
	}
	n.Stop() // what is in memory goes to files
	n.start()
	var said strings.Builder
	for _, path := range []string{"/metrics", "/status"} {
		_, body := n.Get(path)
		said.WriteString(body)
	}
	n.Kill()
	said.WriteString(n.Log())
	for _, mark := range []string{sealedMark, sealedNet, sealedYear + sealedDay} {
		if strings.Contains(said.String(), mark) {
			t.Errorf("a log line, a metric or the status holds %s", mark)
		}
	}
	for what, folders := range n.written() {
		if holding(t, folders, clearMark) == 0 { // else the test shows nothing
			t.Errorf("no file of %s holds a value that is clear on purpose", what)
		}
		for _, mark := range []string{sealedMark, sealedNet, sealedYear + sealedDay, "23-07-" + sealedYear} {
			if files := holding(t, folders, mark); files > 0 {
				t.Errorf("%d files of %s hold %s", files, what, mark)
			}
		}
	}
}
