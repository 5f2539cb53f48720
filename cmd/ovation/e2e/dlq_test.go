package e2e

import (
	"bytes"
	"encoding/json"
	"maps"
	"os/exec"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// command runs the program as an operator does and gives what it printed.
func (n *node) command(code int, stdin string, args ...string) string {
	n.t.Helper()
	cmd := exec.Command(program(n.t), args...)
	var errs bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader(stdin), &errs
	out, _ := cmd.Output()
	if got := cmd.ProcessState.ExitCode(); got != code {
		n.t.Fatalf("ovation %v: exit code %d, want %d:\n%s%s", args, got, code, out, errs.Bytes())
	}
	return string(out)
}

// TestDeadLetters_ListShowMendReplay: two refused records of the public topic, one of a
// user who is attached to a member later, are listed, shown, mended and replayed, with a kill of the node between.
func TestDeadLetters_ListShowMendReplay(t *testing.T) {
	onBothLogs(t, lettersReplayed)
}

func lettersReplayed(t *testing.T, on site) {
	t.Parallel()
	n := on.start(t)
	account, key := n.account("letters")
	api := n.api(key)
	brand := createBrand(t, api, "brand")
	definition := createDefinition(t, api, client.Params{"name": "did", "type": "Social", "service": "lastfm"})
	member := registerMember(t, api, "early", nil)
	unknown, _ := json.Marshal(map[string]any{
		"id": "0", "source": "s", "account": account, "service": "lastfm", "serviceUserID": "late", "activityID": definition, "brandID": brand,
	})
	mended, _ := json.Marshal(map[string]any{
		"id": "1", "source": "s", "account": account, "service": "lastfm", "serviceUserID": "late", "activityID": definition, "brandID": brand,
	})
	broken := bytes.Replace(mended, []byte(`"activityID":`), []byte(`"activity":`), 1)
	o := rawClientAt(n)
	o.publish([][]kafka.Message{{{Value: unknown}, {Value: broken}}}, 1<<20, kafka.LZ4)
	n.settled(2)
	if _, _, err := client.Do(ctx(t), api, client.AttachService{MemberID: member, Service: "lastfm", UID: "late", AuthToken: "t"}); err != nil {
		t.Fatal(err)
	}

	dlq := func(code int, stdin string, args ...string) string {
		t.Helper()
		return n.command(code, stdin, append([]string{"dlq", args[0], "--kafka", n.Kafka, "--topic-prefix", n.Prefix, "--output", "json"}, args[1:]...)...)
	}
	var list struct {
		Items   []struct{ ID, Reason, Origin string }
		Reasons map[string]int
	}
	if err := json.Unmarshal([]byte(dlq(0, "", "list")), &list); err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(list.Reasons, map[string]int{"unknown_member": 1, "missing_field": 1}) || len(list.Items) != 2 {
		t.Fatalf("%+v", list)
	}
	byReason := map[string]string{}
	for _, l := range list.Items {
		byReason[l.Reason] = l.ID
	}
	if got := dlq(0, "", "show", "--value", byReason["missing_field"]); got != string(broken) {
		t.Fatalf("shown %s, published %s", got, broken)
	}
	published := int64(2)
	for range 2 {
		dlq(0, "", "replay", "--reason", "unknown_member")
		dlq(0, string(mended), "replay", byReason["missing_field"], "--from-file", "-")
		n.Kill()
		n.start()
		published += 2
		n.settled(published)
	}
	tally, _, err := client.Do(ctx(t), n.api(key), client.GetBrandActivityStats{BrandID: brand})
	if err != nil {
		t.Fatal(err)
	}
	if tally.TotalCount != "2" || tally.TotalMembers != "1" {
		t.Errorf("each replayed twice, they count %s of %s", tally.TotalCount, tally.TotalMembers)
	}
	if dead := n.deadByReason(); !maps.Equal(dead, map[string]int64{"unknown_member": 1, "missing_field": 1}) {
		t.Errorf("dead letters: %v", dead)
	}
	dlq(1, "", "show", "ffffffff")
}
