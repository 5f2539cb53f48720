package export

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/wire"
	"github.com/ovation-analytics/ovation/cmd/ovation/export/state"
	"github.com/ovation-analytics/ovation/cmd/ovation/export/table"
)

// Members is the table of members, named as lists of members name their fields. What changes by an action alone (Score,
// ActivityCount, LastActivity) is no part of it.
var Members = table.Table{Name: "members", Columns: []table.Column{
	{Name: "ID", Kind: table.Number},
	{Name: "UUID"},
	{Name: "Gender", Null: true},
	{Name: "CountryCode", Null: true},
	{Name: "State", Null: true},
	{Name: "GeoCountry", Null: true},
	{Name: "GeoRegion", Null: true},
	{Name: "LastVisited", Kind: table.Time, Null: true},
	{Name: "Services"},
	{Name: "OptIns", Kind: table.JSON},
	{Name: "FirstName", Null: true, Personal: true},
	{Name: "Surname", Null: true, Personal: true},
	{Name: "Username", Null: true, Personal: true},
	{Name: "Email", Null: true, Personal: true},
	{Name: "VerifiedEmail", Null: true, Personal: true},
	{Name: "Bio", Null: true, Personal: true},
	{Name: "Address", Null: true, Personal: true},
	{Name: "Addressline2", Null: true, Personal: true},
	{Name: "PostCode", Null: true, Personal: true},
	{Name: "City", Null: true, Personal: true},
	{Name: "HomePhone", Null: true, Personal: true},
	{Name: "MobilePhone", Null: true, Personal: true},
	{Name: "GeoCity", Null: true, Personal: true},
	{Name: "GeoLat", Null: true, Personal: true},
	{Name: "GeoLong", Null: true, Personal: true},
	{Name: "MemberAvatarURL", Personal: true},
}}

// memberOf are the texts of a member's columns.
func memberOf(m *wire.MemberItem) (map[string]*string, error) {
	services := make([]string, len(m.Services))
	for i := range m.Services {
		services[i] = m.Services[i].Service
	}
	opts := []wire.OptIn{}
	if m.OptIns != nil {
		opts = *m.OptIns
	}
	optIns, err := json.Marshal(opts)
	return map[string]*string{
		"ID": &m.ID, "UUID": &m.UUID, "Gender": m.Gender, "CountryCode": m.CountryCode, "State": m.State,
		"GeoCountry": m.GeoCountry, "GeoRegion": m.GeoRegion, "LastVisited": m.LastVisited,
		"Services": new(strings.Join(services, ",")), "OptIns": new(string(optIns)),
		"FirstName": m.FirstName, "Surname": m.Surname, "Username": m.Username, "Email": m.Email, "VerifiedEmail": m.VerifiedEmail,
		"Bio": m.Bio, "Address": m.Address, "Addressline2": m.Addressline2, "PostCode": m.PostCode, "City": m.City,
		"HomePhone": m.HomePhone, "MobilePhone": m.MobilePhone, "GeoCity": m.GeoCity, "GeoLat": m.GeoLat, "GeoLong": m.GeoLong,
		"MemberAvatarURL": &m.MemberAvatarURL,
	}, err
}

// Members exports those that changed.
func (x *Export) Members(ctx context.Context) error { return x.toEnd(ctx, x.members) }

// members is one run.
func (x *Export) members(ctx context.Context) error {
	run, err := x.begin(ctx, func(*state.Run, time.Time) error { return nil })
	if err != nil {
		return err
	}
	names := make([]string, len(x.Table.Columns))
	for i, c := range x.Table.Columns {
		names[i] = c.Name
	}
	q := client.ListMembers{UpdatedSince: x.Store.State.Since, Fields: strings.Join(names, ","), Limit: pageRows, More: client.Params{"cursor": ""}}
	for {
		list, meta, err := page(ctx, x.API, "/v1.1/members", q, run.Page)
		if refusesCursor(err) && run.Page != nil {
			run.Page = nil
			continue
		}
		if err != nil {
			return err
		}
		for i := range list.Items {
			if err := x.member(&list.Items[i]); err != nil {
				return err
			}
		}
		last := meta.Next == nil
		if !last {
			run.Page = state.Params(meta.Next)
		}
		if err := x.after(); err != nil {
			return err
		}
		if last {
			return x.end()
		}
	}
}

// member exports a member, unless it is exported as it is.
func (x *Export) member(m *wire.MemberItem) error {
	id, err := strconv.ParseUint(m.ID, 10, 64)
	if err != nil {
		return errNoNumber
	}
	texts, err := memberOf(m)
	if err != nil {
		return err
	}
	row, err := x.Table.Row(func(column string) *string { return texts[column] }, seconds)
	if err != nil {
		return err
	}
	return x.put(id, versionOf(row), func() (table.Row, error) { return row, nil })
}

// versionOf tells a row from one with other values.
func versionOf(row table.Row) uint64 {
	h := xxh3.New()
	for _, v := range row {
		text := "-"
		if !v.Null {
			text = "+" + strconv.Itoa(len(v.Text)) + "," + v.Text + strconv.FormatInt(v.Number, 10)
		}
		_, _ = h.WriteString(text)
	}
	return max(1, h.Sum64())
}
