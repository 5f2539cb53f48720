package core

import (
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// own is a copy that shares no memory with a page: a member lives longer.
func own(in *domain.RegisterMember) *domain.RegisterMember {
	c := *in
	c.Domain = strings.Clone(c.Domain)
	c.Password = strings.Clone(c.Password)
	c.PartnerCode = strings.Clone(c.PartnerCode)
	c.Personal = ownPersonal(c.Personal)
	c.Given, c.Record = ownFields(c.Given), ownFields(c.Record)
	c.Visit = ownVisit(c.Visit)
	return &c
}

func ownLogin(in *domain.LogIn) *domain.LogIn {
	l := *in
	l.Password, l.Rehash, l.Domain = strings.Clone(l.Password), strings.Clone(l.Rehash), strings.Clone(l.Domain)
	l.Personal = ownPersonal(l.Personal)
	l.Given = ownFields(l.Given)
	l.Visit = ownVisit(l.Visit)
	return &l
}

func ownVisit(v domain.Visit) domain.Visit {
	v.Page, v.Country = strings.Clone(v.Page), strings.Clone(v.Country)
	v.Details.Data = strings.Clone(v.Details.Data)
	return v
}

func ownFields(in domain.Fields) domain.Fields {
	f := slices.Clone(in)
	for i := range f {
		f[i].Value = strings.Clone(f[i].Value)
	}
	return f
}

func ownPersonal(p domain.PersonalPut) domain.PersonalPut {
	p.Data = strings.Clone(p.Data)
	return p
}

func ownUpdate(in *domain.UpdateMember) *domain.UpdateMember {
	u := *in
	u.Personal = ownPersonal(u.Personal)
	u.Given = ownFields(u.Given)
	u.Records = slices.Clone(u.Records)
	for i := range u.Records {
		u.Records[i].Given = ownFields(u.Records[i].Given)
	}
	return &u
}

func ownRemoval(in *domain.RemoveService) *domain.RemoveService {
	c := *in
	c.Personal = ownPersonal(c.Personal)
	return &c
}

func ownReset(in *domain.ResetPassword) *domain.ResetPassword {
	c := *in
	c.Password = strings.Clone(c.Password)
	c.Personal = ownPersonal(c.Personal)
	return &c
}
