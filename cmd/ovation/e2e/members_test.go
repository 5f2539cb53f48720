package e2e

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

const secretPassword = "correct-horse-battery"

// A member registers by email, services are attached to it, it opts in; a power cut
// changes nothing of that, and no byte on the disk or in the log holds its password.
func TestMember_ByEmailSurvivesAPowerCut(t *testing.T) {
	t.Parallel()
	onBothLogs(t, memberByEmail)
}

func memberByEmail(t *testing.T, on site) {
	n := on.start(t)
	_, key := n.account("members by email")
	api := n.api(key)
	got := func(e wire.Envelope, m client.Meta, err error) (wire.Envelope, client.Meta) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return e, m
	}
	refused := func(code domain.Code, parameter string, err error) {
		t.Helper()
		if e, ok := errors.AsType[*client.Error](err); !ok || e.Code != code || e.Parameter != parameter {
			t.Fatalf("want code %d of %q, got %v", code, parameter, err)
		}
	}
	brand, _, err := client.Do(ctx(t), api, client.CreateBrand{Name: "The Moons", Type: "Music"})
	if err != nil {
		t.Fatal(err)
	}
	byEmail := client.Params{"service": "email", "email": "Ada@Example.com", "password": secretPassword, "firstname": "Ada", "country": "DE"}
	ada, _ := got(client.Do(ctx(t), api.With("Idempotency-Key", "ada"), client.RegisterMember{More: byEmail}))
	who := domain.MemberID(ada.Data.ID)
	_, _, err = client.Do(ctx(t), api, client.RegisterMember{Service: "email", Email: " ada@example.COM ", Password: "another-password"})
	refused(domain.Conflict, "password", err)
	again, _ := got(client.Do(ctx(t), api, client.RegisterMember{Service: "email", Email: "ada@example.com", Password: secretPassword, City: "Berlin"}))
	if again.Data.ID != ada.Data.ID || *again.Data.City != "Berlin" || *again.Data.FirstName != "Ada" || len(again.Services) != 1 {
		t.Fatalf("met again: %+v", again)
	}

	// Attach what other shards judge: of eight shards nearly all of these are elsewhere.
	for _, service := range []string{"spotify", "deezer", "lastfm", "tumblr"} {
		p := client.Params{"service": service, "uid": "ada-" + service, "authtoken": "t", "username": "ada." + service, "code": "acme-partners", "sourceuid": service}
		got(client.Do(ctx(t), api, client.AttachService{MemberID: who, More: p}))
	}
	bob, _ := got(client.Do(ctx(t), api, client.RegisterMember{Service: "youtube", UID: "bob", AuthToken: "t", Email: "ada@example.com"}))
	_, _, err = client.Do(ctx(t), api, client.AttachService{MemberID: domain.MemberID(bob.Data.ID), Service: "deezer", UID: "ada-deezer", AuthToken: "t"})
	refused(domain.Conflict, "uid", err)
	_, _, err = client.Do(ctx(t), api, client.AttachService{
		MemberID: domain.MemberID(bob.Data.ID), Service: "tumblr", UID: "bob", AuthToken: "t", Code: "acme-partners",
		SourceUID: "lastfm",
	})
	refused(domain.Conflict, "sourceuid", err)
	_, _, err = client.Do(ctx(t), api, client.AttachService{MemberID: domain.MemberID(bob.Data.ID), Service: "email", Email: "ada@example.com", Password: secretPassword})
	refused(domain.Conflict, "email", err)
	met, _ := got(client.Do(ctx(t), api, client.RegisterMember{Service: "spotify", UID: "ada-spotify", AuthToken: "t2"}))
	if met.Data.ID != ada.Data.ID {
		t.Fatalf("an attached service is member %d's", met.Data.ID)
	}

	got(client.Do(ctx(t), api, client.OptInToBrand{BrandID: brand.ID, Email: "ada@example.com"}))
	got(client.Do(ctx(t), api, client.OptIn{ID: who}))
	got(client.Do(ctx(t), api, client.OptOut{Service: "spotify", Username: "ada.spotify"}))
	_, meta := got(client.Do(ctx(t), api, client.OptIn{PartnerID: "tumblr", PartnerCode: "acme-partners"}))
	before, _ := got(client.Do(ctx(t), api.At(meta.Position), client.GetMember{MemberID: who}))
	if len(before.Services) != 5 || len(before.OptIns) != 2 || *before.OptIns[0].Name != "Global" || *before.OptIns[1].Name != "The Moons" {
		t.Fatalf("%d services, opted in to %+v", len(before.Services), before.OptIns)
	}

	for what, folders := range n.written() { // else the test shows nothing
		n.eventually("a partner's code in a file of "+what, func() bool { return holding(t, folders, "acme-partners") > 0 })
	}
	n.Kill()
	for what, folders := range n.written() {
		for _, secret := range []string{secretPassword, "ada-tumblr", "ada.tumblr", "Ada@Example.com"} {
			if files := holding(t, folders, secret); files > 0 {
				t.Fatalf("%d files of %s hold %s", files, what, secret)
			}
		}
	}
	n.start()
	api = n.api(key).At(meta.Position)
	for _, name := range []client.Params{
		{"email": "ADA@example.com"}, {"service": "deezer", "username": "ada.deezer"}, {"partnerCode": "acme-partners", "partnerID": "lastfm"},
	} {
		after, _ := got(client.Do(ctx(t), api, client.FindMember{More: name}))
		if diff := gocmp.Diff(before, after, cmpopts.IgnoreFields(wire.Envelope{}, "JWT"), cmpopts.IgnoreFields(wire.Member{}, "AvatarURL")); diff != "" {
			t.Fatalf("found by %v after the power cut: %s", name, diff)
		}
	}
	repeated, meta := got(client.Do(ctx(t), api.With("Idempotency-Key", "ada"), client.RegisterMember{More: byEmail}))
	if !meta.Replayed || repeated.Data.ID != ada.Data.ID {
		t.Fatalf("the key is forgotten: %+v", meta)
	}
	other, _ := got(client.Do(ctx(t), api, client.RegisterMember{Service: "tumblr", UID: "bob", AuthToken: "t"}))
	if other.Data.ID == bob.Data.ID || other.Data.ID == ada.Data.ID {
		t.Fatalf("what was refused was attached all the same: member %d", other.Data.ID)
	}
	if strings.Contains(n.Log(), secretPassword) || strings.Contains(strings.ToLower(n.Log()), "ada@example.com") {
		t.Fatalf("a password or an address is logged:\n%s", n.Log())
	}
}

// written are the folders that the node writes, and those of its journal where that is
// elsewhere.
func (n *node) written() map[string][]string {
	n.t.Helper()
	out := map[string][]string{"the node": {n.Data}}
	if n.LogData != "" {
		partitions, err := filepath.Glob(filepath.Join(n.LogData, n.Prefix+kafka.Journal+"-*"))
		if err != nil {
			n.t.Fatal(err)
		}
		out["the journal"] = partitions
	}
	return out
}

// holding is how many files of the folders hold a text.
func holding(t *testing.T, folders []string, text string) (files int) {
	t.Helper()
	for _, dir := range folders {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // a running node removes files
			}
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if strings.Contains(string(b), text) {
				files++
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}
