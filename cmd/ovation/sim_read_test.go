package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// simItem is an action as the feed shows it.
type simItem struct {
	id         domain.ActionID
	member     domain.MemberID
	brand      domain.BrandID
	definition domain.DefinitionID
	at         int64
	link       string
}

// window is a stretch of time that one question may span, in whole UTC days.
type window struct{ from, to time.Time }

func windowOf(at int64) window {
	day := time.Unix(at, 0).UTC().Truncate(24 * time.Hour)
	return window{day.AddDate(0, 0, -5), day.AddDate(0, 0, 5)}
}

// windows hold all instants.
func windows(now time.Time) []window {
	day := now.UTC().Truncate(24 * time.Hour)
	return []window{
		{day.AddDate(0, 0, -60), day.AddDate(0, 0, 2)}, windowOf(1434000000), windowOf(1045000000),
	}
}

func (w window) params() client.Params {
	return client.Params{
		"start_date": w.from.Format(time.DateTime), "end_date": w.to.Format(time.DateTime), "includeOneTime": "1",
	}
}

// eachAction calls f with every action in a window.
func eachAction(c *client.Client, in window, f func(simItem)) error {
	p := in.params()
	p["all_member_actions"] = "1"
	for from := 0; ; from += 1000 {
		p["limit"] = fmt.Sprint(from, ",1000")
		feed, _, err := client.Do(context.Background(), c, client.GetFeed{More: p})
		if err != nil {
			return err
		}
		for i := range feed.Items {
			item := &feed.Items[i]
			at, err := time.Parse(time.DateTime, item.CompleteDate)
			if err != nil {
				return err
			}
			id, _ := strconv.ParseUint(item.ID, 10, 64)
			brand, _ := strconv.ParseUint(*item.BrandID, 10, 32)
			definition, _ := strconv.ParseUint(item.ActivityID, 10, 32)
			f(simItem{domain.ActionID(id), memberOf(item.MemberID), domain.BrandID(brand), domain.DefinitionID(definition), at.Unix(), linkOf(item)})
		}
		if len(feed.Items) < 1000 {
			return nil
		}
	}
}

// linkOf is the link of an item that may have none.
func linkOf(item *wire.FeedItem) string {
	if item.Link == nil {
		return ""
	}
	return *item.Link
}

// origin is where a record stood in the public topic.
type origin struct {
	topic     string // its id
	partition int
	offset    int64
}

func (o origin) String() string { return fmt.Sprintf("%s/%d/%d", o.topic, o.partition, o.offset) }

// archive is every record that the public topic was seen to hold, ever.
type archive map[origin]string

// keep reads what the public topic holds now.
func (a archive) keep(ctx context.Context, c *kafka.Client) error {
	topic, err := topicOf(ctx, c, kafka.Activities)
	if err != nil {
		return err
	}
	for p := range topic.Partitions {
		err := eachRecord(ctx, c, kafka.Activities, topic.ID, p, func(r *kafka.Record) {
			a[origin{topic.ID.String(), p, r.Offset}] = string(r.Value)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// patient repeats what meets a broker that is not there yet.
func patient(f func() error) error {
	for failures := 0; ; failures++ {
		err := f()
		if err == nil || failures > 50 || !kafka.Retriable(err) {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func topicOf(ctx context.Context, c *kafka.Client, name string) (t kafka.Topic, err error) {
	err = patient(func() error {
		t, err = c.Topic(ctx, name)
		return err
	})
	return t, err
}

// eachRecord calls f with every record of a partition.
func eachRecord(ctx context.Context, c *kafka.Client, topic string, id domain.TopicID, partition int, f func(*kafka.Record)) error {
	var end int64
	err := patient(func() (err error) {
		end, err = c.End(ctx, topic, partition)
		return err
	})
	if err != nil {
		return err
	}
	fetcher, err := c.Fetcher(kafka.FetchConfig{Topic: topic, ID: id, Partition: partition})
	if err != nil {
		return err
	}
	for next, epoch := int64(-1), kafka.NoEpoch; next < end; {
		var page *kafka.Page
		err := patient(func() (err error) {
			page, err = fetcher.Fetch(ctx, next, epoch)
			return err
		})
		if err != nil {
			return err
		}
		for i := range page.Records {
			f(&page.Records[i])
		}
		next, epoch = page.Next, page.Epoch
	}
	return nil
}

// publishedLetters are the reasons of what was published as a dead letter, by origin.
func publishedLetters(ctx context.Context, c *kafka.Client) (map[origin]string, error) {
	topic, err := topicOf(ctx, c, kafka.DeadLetters)
	if err != nil {
		return nil, err
	}
	out := map[origin]string{}
	var wrong error
	err = eachRecord(ctx, c, kafka.DeadLetters, topic.ID, 0, func(r *kafka.Record) {
		reason, _ := r.Header("dlq.reason")
		from, _ := r.Header("dlq.origin")
		o, err := readOrigin(string(from))
		if err != nil {
			wrong = err
			return
		}
		if was, ok := out[o]; ok && was != string(reason) {
			wrong = fmt.Errorf("dead letter %s is %s, and again %s", o, was, reason)
		}
		if string(reason) == domain.GoneMember.String() && len(r.Key)+len(r.Value) > 0 {
			wrong = fmt.Errorf("dead letter %s of a member who is erased has the bytes %q", o, r.Value)
		}
		out[o] = string(reason)
	})
	if err == nil {
		err = wrong
	}
	return out, err
}

// readOrigin reads topic/partition/epoch/offset.
func readOrigin(s string) (o origin, err error) {
	parts := strings.Split(s, "/")
	if len(parts) != 4 {
		return o, fmt.Errorf("a dead letter of %q", s)
	}
	o.topic = parts[0]
	if o.partition, err = strconv.Atoi(parts[1]); err != nil {
		return o, err
	}
	o.offset, err = strconv.ParseInt(parts[3], 10, 64)
	return o, err
}

func monthOf(at int64) string { return time.Unix(at, 0).UTC().Format("2006-01") }
