package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/token"
)

// Receipt is about receipts of erasures.
type Receipt struct {
	Verify ReceiptVerify `cmd:"" help:"Check a receipt of an erasure, and print what it says: member, time, position, and the time by which the last bytes are gone, where that is known. Any JWT library checks it, too: EdDSA, typ erasure+jwt, aud erasure." example:"ovation receipt verify receipt.jwt --jwks https://api.example.com/.well-known/jwks.json"`
}

// ReceiptVerify checks a receipt.
type ReceiptVerify struct {
	form
	File string `arg:"" placeholder:"FILE" help:"The file of the receipt, or - for standard input."`
	JWKS string `name:"jwks" required:"" env:"-" placeholder:"FILE|URL" help:"The key set that has its key: a file, or the address of /.well-known/jwks.json. A key leaves that address at the second rotation after the receipt, or when it is ended: an older receipt needs the key set that was kept beside it."`
}

// Most that is read of a receipt and of a key set, and how long a key set may take.
const (
	maxReceipt   = 64 << 10
	maxKeySet    = 1 << 20
	keySetWithin = 10 * time.Second
)

// Run prints what the receipt says, if it is good.
func (c *ReceiptVerify) Run(ctx context.Context, w io.Writer) error {
	text, err := c.receipt()
	if err != nil {
		return err
	}
	set, err := c.keySet(ctx)
	if err != nil {
		return err
	}
	keys, err := token.ParseKeySet(set)
	if err != nil {
		return fmt.Errorf("%s: %w", c.JWKS, err)
	}
	r, err := token.ReadReceipt(strings.TrimSpace(string(text)), keys)
	if err != nil {
		return fmt.Errorf("%s is not a good receipt: %w", c.File, err)
	}
	return c.print(w, shownReceipt(r), func(w io.Writer) { printReceipt(w, r) })
}

// checkedReceipt is what receipt verify prints as JSON.
type checkedReceipt struct {
	Member      domain.MemberID      `json:"member"`
	Account     domain.AccountID     `json:"account"`
	Application domain.ApplicationID `json:"application"`
	Erased      time.Time            `json:"erased"`
	Position    string               `json:"position"`
	GoneBy      time.Time            `json:"goneBy,omitzero"`
	Issuer      string               `json:"issuer"`
	KID         string               `json:"kid"`
}

func shownReceipt(r *token.Receipt) checkedReceipt {
	return checkedReceipt{
		Member: r.Member, Account: r.Account, Application: r.Application, Erased: r.Erased.UTC(), Position: r.Position,
		GoneBy: r.GoneBy.UTC(), Issuer: r.Issuer, KID: r.KID,
	}
}

func printReceipt(w io.Writer, r *token.Receipt) {
	moment := func(t time.Time) string { return t.UTC().Format(time.DateTime) + " UTC" }
	gone := "not known: the topics of the installation had no limit when the member was erased"
	if !r.GoneBy.IsZero() {
		gone = moment(r.GoneBy)
	}
	fmt.Fprintf(w, "member\t%d\naccount\t%d\napplication\t%d\n", r.Member, r.Account, r.Application)
	fmt.Fprintf(w, "erased\t%s\nposition\t%s\ngone by\t%s\n", moment(r.Erased), harmless([]byte(r.Position)), gone)
	fmt.Fprintf(w, "issuer\t%s\nkey\t%s\n", harmless([]byte(r.Issuer)), harmless([]byte(r.KID)))
}

// receipt is the receipt's text.
func (c *ReceiptVerify) receipt() ([]byte, error) {
	if c.File == "-" {
		return upTo(os.Stdin, maxReceipt, "standard input")
	}
	return fileUpTo(c.File, maxReceipt)
}

// keySet is the text of the key set.
func (c *ReceiptVerify) keySet(ctx context.Context) ([]byte, error) {
	at, err := url.Parse(c.JWKS)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" {
		return fileUpTo(c.JWKS, maxKeySet)
	}
	ctx, cancel := context.WithTimeout(ctx, keySetWithin)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.JWKS, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.JWKS, err)
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("the key set: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: the answer is %s", c.JWKS, answer.Status)
	}
	return upTo(answer.Body, maxKeySet, c.JWKS)
}

func fileUpTo(path string, maxBytes int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return upTo(f, maxBytes, path)
}

// upTo reads all of it, unless it is longer than what is looked for.
func upTo(r io.Reader, maxBytes int64, name string) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err == nil && int64(len(b)) > maxBytes {
		err = errors.New("it is too long")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return b, nil
}
