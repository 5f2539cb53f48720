// The members that the filters leave, by score, by registration or by last login.
import { html } from '../vendor/view.js'
import { useAnswer } from '../ui/use.js'
import { Card } from '../ui/card.js'
import { nameOf, Picture } from '../ui/kit.js'
import { AddFilter, Chips } from '../ui/filters.js'
import { Find, Pages } from '../ui/list.js'
import { All } from '../ui/all.js'
import { place, go, href, range, set } from '../lib/place.js'
import { ago, count, country, parse, service } from '../lib/format.js'
import { address } from '../lib/api.js'
import { headers, may } from '../lib/session.js'

const size = 50
export const filtered = ['country', 'services', 'brandID', 'activityID', 'members_from_segment', 'domain', 'paid_only']
const shown = 'ID,FirstName,Surname,Username,CountryCode,Score,ActivityCount,MemberAvatarURL,Services,LastActivity'

// columns are those of a file of members. The addresses are in it for those who may see them.
export function columns() {
  const mail = may('editor', 'developer')
  return {
    fields: shown + (mail ? ',Email' : ''),
    head: ['ID', 'Name', ...(mail ? ['E-mail'] : []), 'Country', 'Score', 'Activities', 'Last activity', 'At (UTC)'],
    row: (m) => [Number(m.ID), nameOf(m), ...(mail ? [m.Email ?? ''] : []), m.CountryCode ?? '', Number(m.Score), Number(m.ActivityCount), m.LastActivity?.Name ?? '', m.LastActivity?.CompleteDate ?? ''],
  }
}

// Rows is a table of members, as lists of them have it.
export const Rows = ({ items }) => html`<table class="list"><thead><tr><th scope="col">Member</th><th scope="col">Country</th><th scope="col" class="num">Score</th><th scope="col" class="num">Activities</th><th scope="col">Last activity</th><th scope="col">Services</th></tr></thead>
  <tbody>${items.map((m) => html`<tr key=${m.ID}><th scope="row"><a href=${'/member/' + m.ID}><${Picture} of=${m} />${nameOf(m)}</a></th><td>${m.CountryCode ? country(m.CountryCode) : '–'}</td>
    <td class="num">${count(Number(m.Score))}</td><td class="num">${count(Number(m.ActivityCount))}</td>
    <td class="cut">${m.LastActivity && html`${m.LastActivity.Name} <span class="dim">${ago(parse(m.LastActivity.CompleteDate))}</span>`}</td>
    <td>${(m.Services ?? []).map((s) => html`<i class="dot s-${s.Service}" title=${service(s.Service)}></i>`)}<span class="hide">${(m.Services ?? []).map((s) => service(s.Service)).join(', ')}</span></td></tr>`)}</tbody></table>`

// Audiences are the lists of members that are asked for most, each a link.
export const Audiences = ({ at }) => html`<nav class="range" aria-label="Audience">${[['/members', 'Active'], ['/members/lapsed', 'Lapsed']].map(([path, words]) => html`<a href=${href({ path, view: {} })} aria-current=${path === at ? 'page' : undefined}>${words}</a>`)}</nav>`
const orders = { '': 'Score', Created: 'Newest', LastLogin: 'Last login' }

export function Members() {
  const filters = place.value.filters, { skip = 0, order = '' } = place.value.view, { fields, head, row } = columns()
  const asked = { ...range.value, ...filters, order_by: order || undefined, limit: `${skip},${size}`, totalmembercount: 1, fields }
  const list = useAnswer('/v1.1/members/active', asked, 30_000)
  const items = list.data?.items ?? [], all = Number(list.data?.totalSize ?? 0)
  return html`<div class="page"><div class="title"><div><h1>Members</h1><p class="dim">${list.data ? `${count(all)} active in the range, of ${count(Number(list.data.TotalMemberCount ?? all))}` : ' '}</p></div></div>
    <div class="filters"><${Audiences} at="/members" /><${Find} label="E-mail or number of a member" onFind=${find} />
      <div class="range" role="radiogroup" aria-label="Order">${Object.entries(orders).map(([k, words]) => html`<button role="radio" aria-checked=${order === k} onClick=${() => set({}, { order: k })}>${words}</button>`)}</div><${AddFilter} of=${filtered} /></div>
    <${Chips} />
    <${Card} title="Active members" of=${list} empty=${list.data && !items.length && 'No member was active with these filters in this range.'}
      csv=${{ head, rows: items.map(row) }} tools=${html`<${All} title="All active members" path="/v1.1/members/active" params=${{ ...asked, limit: undefined }} head=${head} row=${row} />`}>
      <${Rows} items=${items} />
      <${Pages} from=${Number(skip)} size=${size} all=${all} /><//></div>`
}

// find goes to a member by number, or by e-mail address.
async function find(text) {
  if (!text) return
  if (/^\d+$/.test(text)) return go({ path: '/member/' + text, filters: {}, view: {} })
  const r = await fetch(address('/v1.1/member', { email: text }), { headers: headers() })
  const found = r.ok && (await r.json()).data
  if (found) go({ path: '/member/' + found.ID, filters: {}, view: {} })
  else alert('No member has this address.')
}
