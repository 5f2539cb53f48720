package e2e

import (
	"maps"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
)

// Visits are shown with what was given of them, before and after a power cut, once for each request
// however often it is repeated; no file of log or store has it in clear, nor the node's log.
func TestVisits_SealedOnDiskAndInTheLog(t *testing.T) {
	onBothLogs(t, sealedVisits)
}

func sealedVisits(t *testing.T, on site) {
	n := on.start(t)
	_, key := n.account("visits")
	api := n.api(key)
	from := client.Params{
		"ip": "2001:db8:77::abcd", "useragent": "Sealed-Agent/7.7 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile",
		"webpath": "https://clear.example/join?mail=sealed-query", "referring_url": "https://from.example/sealed-referrer",
		"visitor": "sealed-visitor", "domain": "clear.example",
	}
	with := func(p client.Params) client.Params {
		maps.Copy(p, from)
		return p
	}
	email := with(client.Params{"service": "email", "email": "visits@example.com", "password": secretPassword})
	registered, _, err := client.Do(ctx(t), api.With("Idempotency-Key", "register"), client.RegisterMember{More: email})
	if err != nil {
		t.Fatal(err)
	}
	who := domain.MemberID(registered.Data.ID)
	for range 2 { // the repeat is no visit
		if _, _, err := client.Do(ctx(t), api.With("Idempotency-Key", "register"), client.RegisterMember{More: email}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := client.Do(ctx(t), api.With("Idempotency-Key", "login"), client.LoginMember{More: email}); err != nil {
			t.Fatal(err)
		}
	}
	social := with(client.Params{"service": "spotify", "uid": "visits-spotify", "authtoken": "t"})
	if _, _, err := client.Do(ctx(t), api, client.AttachService{MemberID: who, More: social}); err != nil {
		t.Fatal(err)
	}
	_, meta, err := client.Do(ctx(t), api, client.LoginMember{More: social})
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]client.Params{ // refused: no visit, and nothing of it in clear
		"unknown": with(client.Params{"service": "email", "email": "nowhere@example.com", "password": secretPassword}),
		"wrong":   with(client.Params{"service": "email", "email": "visits@example.com", "password": "wrong-password"}),
		"social":  with(client.Params{"service": "spotify", "uid": "visits-nowhere", "authtoken": "t"}),
	} {
		if _, _, err := client.Do(ctx(t), api, client.LoginMember{More: p}); err == nil {
			t.Fatalf("%s: logged in", name)
		}
	}
	before, _, err := client.Do(ctx(t), api.At(meta.Position), client.GetMemberLogins{MemberID: who})
	if err != nil {
		t.Fatal(err)
	}
	if before.Total != 4 || len(before.Registrations) != 4 {
		t.Fatalf("%d visits: %+v", before.Total, before.Registrations)
	}
	for _, v := range before.Registrations {
		if *v.IP != from["ip"] || *v.WebPath != from["webpath"] || *v.ReferringURL != from["referring_url"] ||
			*v.Visitor != "sealed-visitor" || *v.Domain != "clear.example" || !v.Mobile || v.Device != 2 {
			t.Fatalf("%+v", v)
		}
	}
	for what, folders := range n.written() { // else the test shows nothing
		n.eventually("a domain in a file of "+what, func() bool { return holding(t, folders, "clear.example") > 0 })
	}
	n.Kill()
	secrets := []string{"2001:db8:77", "Sealed-Agent", "sealed-query", "sealed-referrer", "sealed-visitor"}
	for what, folders := range n.written() {
		for _, secret := range secrets {
			if files := holding(t, folders, secret); files > 0 {
				t.Fatalf("%d files of %s hold %s", files, what, secret)
			}
		}
	}
	n.start()
	after, _, err := client.Do(ctx(t), n.api(key).At(meta.Position), client.GetMemberLogins{MemberID: who})
	if diff := gocmp.Diff(before, after); err != nil || diff != "" {
		t.Fatalf("after the power cut: %v %s", err, diff)
	}
	for _, secret := range secrets {
		if strings.Contains(n.Log(), secret) {
			t.Fatalf("%s is logged:\n%s", secret, n.Log())
		}
	}
}
