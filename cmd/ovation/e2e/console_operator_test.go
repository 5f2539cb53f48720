package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/ovation-analytics/ovation/api/admin"
	"github.com/ovation-analytics/ovation/api/client"
	signin "github.com/ovation-analytics/ovation/api/console/session"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// operator is who looks at the pages of a demo's admin port.
type operator struct {
	t     testing.TB
	admin admin.Client
	base  string // address of the pages
	kafka string
}

func operatorAt(d *demo, out *screen) *operator {
	base := strings.TrimSuffix(d.printed(out, "Admin"), "/status")
	return &operator{d.t, admin.Client{Address: strings.TrimPrefix(base, "http://")}, base, d.printed(out, "Kafka")}
}

// ask asks the admin port as a command does.
func (o *operator) ask(method, path string, in, into any) {
	o.t.Helper()
	b, err := o.admin.Call(context.Background(), method, path, in)
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		o.t.Fatalf("%s %s: %v", method, path, err)
	}
}

// eventually waits for what the admin port says.
func (o *operator) eventually(what string, holds func() bool) {
	o.t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(pollEvery) {
		if time.Now().After(deadline) {
			o.t.Fatalf("no %s", what)
		}
	}
}

// signIn has the browser open a link for an operator without an account: the first page is the node's health, and no other
// page but those of operators is in the menu.
func (o *operator) signIn(b *browser) {
	var made admin.CreatedLink
	o.ask(http.MethodPost, "/console/links", admin.CreateLink{Role: "operator", Name: "Ops"}, &made)
	b.do(chromedp.Navigate(made.Link))
	b.settled("the operator's first page")
	if title, links := eval[string](b, `document.querySelector('#main h1').innerText`), eval[int](b, `document.querySelectorAll('.side a[data-at]:not([data-at^="/operate"])').length`); title != "Health" || links != 0 {
		o.t.Errorf("the first page is %s, %d links are to pages of accounts", title, links)
	}
}

// refuse publishes so many records that cannot be taken, the last of them no JSON, and waits for their letters.
func (o *operator) refuse(n int) {
	o.t.Helper()
	c, err := kafka.New(kafka.Config{Brokers: []string{o.kafka}, ClientID: "outsider"})
	if err != nil {
		o.t.Fatal(err)
	}
	defer c.Close()
	p, err := c.Producer(kafka.ProducerConfig{Topic: kafka.Activities, Codec: kafka.LZ4})
	if err != nil {
		o.t.Fatal(err)
	}
	var records []kafka.Message
	for i := range n - 1 {
		records = append(records, kafka.Message{Value: fmt.Appendf(nil, `{"id":"%d","source":"e2e","account":1,"service":"spotify","serviceUserID":"nobody","activityID":100,"brandID":1}`, i)})
	}
	if _, err := p.Send(context.Background(), append(records, kafka.Message{Value: []byte(`{"id":"x",,"source":"e2e"}`)})); err != nil {
		o.t.Fatal(err)
	}
	o.eventually("dead letters", func() bool { return o.letters().Total == n })
}

func (o *operator) letters() (page admin.LetterPage) {
	o.t.Helper()
	o.ask(http.MethodGet, "/letters", nil, &page)
	return page
}

// press clicks a button by its words.
func (b *browser) press(words string) {
	b.t.Helper()
	button := fmt.Sprintf(`[...document.querySelectorAll('#main button')].find((b) => !b.disabled && (b.innerText.startsWith(%[1]q) || b.getAttribute('aria-label') === %[1]q))`, words)
	b.until("button "+words, "!!"+button)
	b.do(chromedp.Evaluate(button+".click()", nil))
}

// confirm types a word into the dialog and goes on, once that may be done.
func (b *browser) confirm(word string) {
	b.t.Helper()
	b.do(chromedp.SendKeys(`.confirm input`, word))
	b.until("way on after "+word, `document.querySelector('.confirm .act')?.disabled === false`)
	b.do(chromedp.Click(`.confirm .act`))
	b.until("end of the dialog", `!document.querySelector('.confirm')`)
}

// replays all letters: the dialog counts them first, nothing is published until it is confirmed, and each becomes a letter again.
func (o *operator) replays(b *browser) {
	b.t.Helper()
	before := o.letters()
	b.open("/operate/letters?since=24h")
	b.press("Replay all")
	b.until("count", `document.querySelector('.confirm').innerText.includes('3 of 3 letters can be published again')`)
	if text := eval[string](b, `document.querySelector('.confirm').innerText`); !strings.Contains(text, "1 would be refused again for bad_json") {
		b.t.Errorf("the dialog says %s", text)
	}
	b.accessible("the dialog of a replay")
	b.shot("replay")
	if now := o.letters(); now.To != before.To {
		b.t.Error("a dry run writes")
	}
	b.confirm("replay")
	b.until("words of what was done", `document.querySelector('.secret').innerText.startsWith('3 of 3 letters are published again')`)
	o.eventually("letters of the replay", func() bool { return o.letters().Total == 6 })
	for i, l := range o.letters().Items {
		if (l.Replay != nil && l.Replay.For == l.Reason) != (i >= 3) {
			b.t.Errorf("letter %d: %+v, replayed %+v", i, l, l.Replay)
		}
	}
	b.press("Read again")
	b.until("what became of the letters", `document.querySelectorAll('.letters input').length === 6 && document.querySelector('.letters').innerText.includes('refused again: bad_json')`)
	b.shot("replayed")
}

// makesKey makes a key, which is shown and asks, and revokes it by its hint.
func (o *operator) makesKey(b *browser, node string) {
	b.t.Helper()
	b.open("/operate/applications")
	b.press("Make")
	b.until("key", `!!document.querySelector('.secret code')`)
	key := eval[string](b, `document.querySelector('.secret code').innerText`)
	if curl := eval[string](b, `document.querySelector('.secret + .code').innerText`); curl != fmt.Sprintf("curl -s -H 'X-API-Key: %s' '%s/v1.1/brands'", key, node) {
		b.t.Errorf("the first question is %s", curl)
	}
	asks := func() error {
		_, _, err := client.Do(ctx(b.t), client.New(node, key), client.ListBrands{Limit: "1"})
		return err
	}
	if err := asks(); err != nil {
		b.t.Fatal(err)
	}
	b.shot("key")
	b.press("Revoke " + key[:8])
	b.confirm(key[:8])
	o.eventually("refusal of the revoked key", func() bool { return asks() != nil })
	b.until("key that is revoked", fmt.Sprintf(`!document.querySelector('[aria-label="Revoke %s"]') && document.querySelector('.keys').innerText.includes('revoked')`, key[:8]))
}

// endsSession makes a link by which Ada signs in, and ends her session.
func (o *operator) endsSession(b *browser, node string) {
	b.t.Helper()
	b.open("/operate/people")
	b.do(chromedp.SendKeys(`#who`, "Ada"))
	b.press("Make")
	b.until("link", `!!document.querySelector('.secret code')`)
	token, ok := strings.CutPrefix(eval[string](b, `document.querySelector('.secret code').innerText`), node+signin.LinkPath)
	if !ok {
		b.t.Fatal("the link is not of the public port")
	}
	b.shot("link")
	body, _ := json.Marshal(map[string]string{"token": token})
	r, err := http.Post(node+signin.Path, "application/json", strings.NewReader(string(body)))
	if err != nil {
		b.t.Fatal(err)
	}
	if r.Body.Close(); r.StatusCode != http.StatusOK {
		b.t.Fatalf("the link gives %s", r.Status)
	}
	b.open("/operate/people")
	b.press("End the session of Ada")
	b.confirm("end")
	o.eventually("end of the session", func() bool {
		var list admin.List[admin.ListedSession]
		o.ask(http.MethodGet, "/console/sessions", nil, &list)
		for _, s := range list.Items {
			if s.Name == "Ada" {
				return s.Over
			}
		}
		return false
	})
	b.until("session that is over", `!document.querySelector('[aria-label="End the session of Ada"]')`)
}
