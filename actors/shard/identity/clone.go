package identity

import (
	"slices"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// What a command says shares the memory of its page, which ends with the micro-batch: members live longer.

func cloneRegistration(in *domain.RegisterMember) *domain.RegisterMember {
	c := *in
	c.Domain = strings.Clone(c.Domain)
	c.Password = strings.Clone(c.Password)
	c.PartnerCode = strings.Clone(c.PartnerCode)
	c.Personal = clonePersonal(c.Personal)
	c.Given, c.Record = cloneFields(c.Given), cloneFields(c.Record)
	c.Visit = cloneVisit(c.Visit)
	return &c
}

func cloneLogin(in *domain.LogIn) *domain.LogIn {
	l := *in
	l.Password, l.Rehash, l.Domain = strings.Clone(l.Password), strings.Clone(l.Rehash), strings.Clone(l.Domain)
	l.Personal = clonePersonal(l.Personal)
	l.Given = cloneFields(l.Given)
	l.Visit = cloneVisit(l.Visit)
	return &l
}

func cloneVisit(v domain.Visit) domain.Visit {
	v.Page, v.Country = strings.Clone(v.Page), strings.Clone(v.Country)
	v.Details.Data = strings.Clone(v.Details.Data)
	return v
}

func cloneFields(in domain.Fields) domain.Fields {
	f := slices.Clone(in)
	for i := range f {
		f[i].Value = strings.Clone(f[i].Value)
	}
	return f
}

func clonePersonal(p domain.PersonalPut) domain.PersonalPut {
	p.Data = strings.Clone(p.Data)
	return p
}

func cloneUpdate(in *domain.UpdateMember) *domain.UpdateMember {
	u := *in
	u.Personal = clonePersonal(u.Personal)
	u.Given = cloneFields(u.Given)
	u.Records = slices.Clone(u.Records)
	for i := range u.Records {
		u.Records[i].Given = cloneFields(u.Records[i].Given)
	}
	return &u
}

func cloneRemoval(in *domain.RemoveService) *domain.RemoveService {
	c := *in
	c.Personal = clonePersonal(c.Personal)
	return &c
}

func cloneReset(in *domain.ResetPassword) *domain.ResetPassword {
	c := *in
	c.Password = strings.Clone(c.Password)
	c.Personal = clonePersonal(c.Personal)
	return &c
}
