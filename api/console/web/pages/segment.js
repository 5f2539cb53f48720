// A segment: its rule, who is in it now; made and changed by editors.
import { html, useEffect, useState } from '../vendor/view.js'
import { useAnswer } from '../ui/use.js'
import { Card } from '../ui/card.js'
import { Confirm, Field, useCommand } from '../ui/form.js'
import { Picture, nameOf } from '../ui/kit.js'
import { go, place } from '../lib/place.js'
import { may } from '../lib/session.js'
import { All } from '../ui/all.js'
import { count } from '../lib/format.js'

const fresh = { name: '', brandid: '', rule: '1', threshold: '10', period: '28 Day', activities: {} }

// templates are what audiences are asked for most.
const templates = {
  'Super fans': { name: 'Super fans', rule: '1', threshold: '20', period: '28 Day' },
  'New in 28 days': { name: 'New in 28 days', rule: '1', threshold: '1', period: '28 Day' },
  'Chosen by hand': { name: '', rule: '0' },
}

const spans = ['7 Day', '28 Day', '90 Day', '6 Month', '1 Year', '']

// periods are the spans to choose from, and the one that the segment has.
const periods = (has) => (spans.includes(has) ? spans : [has, ...spans]).map((p) => [p, p ? 'in the last ' + p.toLowerCase() + (p.startsWith('1 ') ? '' : 's') : 'of all time'])

export function Segment({ id }) {
  const made = id !== 'new'
  const of = useAnswer(made && '/v1.1/segment/' + id, {}, 60_000)
  const [form, set] = useState(made ? null : fresh)
  const [asks, ask] = useState(false)
  const { busy, failed, run } = useCommand()
  useEffect(() => {
    const s = made && of.data
    if (s && !form) {
      set({ name: s.Name, brandid: s.BrandID ?? '', rule: s.Rule ? '1' : '0', threshold: String(s.Threshold ?? 1), period: s.Period ?? '', activities: Object.fromEntries(s.Activities.map((a) => [a.ActivityID, a.Value ?? ''])) })
    }
  }, [of.data])
  const change = (name) => (value) => set({ ...form, [name]: value })
  const save = (e) => {
    e.preventDefault()
    const activities = Object.entries(form.activities).map(([a, points]) => (points === '' ? a : a + ':' + points)).join(',')
    const rule = form.rule === '1' ? { rule: 1, threshold: form.threshold, period: form.period || undefined } : { rule: 0 }
    run(made ? `/v1.1/segment/${id}/edit` : '/v1.1/segment/create', { name: form.name, brandid: form.brandid || undefined, activities, ...rule }, (s) => go({ path: '/segment/' + s.ID, filters: {}, view: {} }))
  }
  if (!form) return html`<div class="page"><div class="title"><h1>${of.error?.status === 404 ? 'There is no such segment' : 'Segment'}</h1></div>${!of.error && html`<${Card} title="Rule" of=${of} />`}</div>`
  const edits = may('editor', 'developer')
  return html`<div class="page"><div class="title"><div><h1>${made ? form.name : 'New segment'}</h1><p class="dim">${made && of.data ? `${count(Number(of.data.Members))} members now` : 'Members who did enough of what you choose, or whom you add by hand'}</p></div></div>
    <div class=${made ? 'cards two' : 'narrow'}>${made && html`<${Inside} id=${id} name=${of.data?.Name ?? form.name} />`}
      ${edits && html`<${Card} title="Rule"><form class="form" onSubmit=${save}>
        ${!made && html`<div class="choices" role="group" aria-label="Begin with">${Object.entries(templates).map(([words, t]) => html`<button type="button" onClick=${() => set({ ...form, ...t })}>${words}</button>`)}<a href="/members/lapsed">Lapsed</a></div>
          <p class="dim">A rule counts activities, and cannot say that there are none: <em>Lapsed</em> is a list of members.</p>`}
        <${Field} label="Name" value=${form.name} onChange=${change('name')} required maxlength="255" />
        <${Field} label="Members are in it" value=${form.rule} onChange=${change('rule')} options=${[['1', 'when they have done enough'], ['0', 'when they are added']]} />
        ${form.rule === '1' && html`<${Field} label="Enough is at least" type="number" min="1" value=${form.threshold} onChange=${change('threshold')} hint="actions of those below" />
          <${Field} label="Counted are actions" value=${form.period} onChange=${change('period')} options=${periods(form.period)} />`}
        <${Activities} brand=${form.brandid} chosen=${form.activities} onChange=${change('activities')} />
        <p role="alert">${failed}</p>
        <div class="acts">${made && html`<button type="button" class="plain bad" onClick=${() => ask(true)}>Delete</button>`}<button class="act" disabled=${busy || !Object.keys(form.activities).length}>${made ? 'Save' : 'Create'}</button></div></form><//>`}
    </div>
    ${asks && html`<${Confirm} title=${'Delete ' + form.name + '?'} word=${form.name} act="Delete" busy=${busy} failed=${failed} onClose=${() => ask(false)}
      onAct=${() => run(`/v1.1/segment/${id}/delete`, {}, () => go({ path: '/segments', filters: {}, view: {} }))}><p>Its members stay; filters and webhooks that name it find nothing any more.</p><//>`}</div>`
}

// Activities are the definitions that count, each with points of its own.
function Activities({ brand, chosen, onChange }) {
  const [text, find] = useState('')
  const list = useAnswer('/v1.1/activities', { brandID: brand || undefined, keyword: text || undefined, limit: 50 }, 600_000)
  const flip = (id) => { const { [id]: was, ...rest } = chosen; onChange(was === undefined ? { ...chosen, [id]: '' } : rest) }
  return html`<fieldset class="choose"><legend>Activities</legend>
    <input type="search" aria-label="Find an activity" placeholder="Find an activity" value=${text} onInput=${(e) => find(e.target.value)} />
    <ul>${(list.data?.items ?? []).map((a) => html`<li key=${a.ID}><label><input type="checkbox" checked=${chosen[a.ID] !== undefined} onChange=${() => flip(a.ID)} /><i class="dot s-${a.ServiceType}"></i>${a.Name.replace('{brand}', '…')}</label>
      ${chosen[a.ID] !== undefined && html`<input class="points" type="number" min="0" max="65535" aria-label=${'Points of ' + a.Name} placeholder=${a.Value} value=${chosen[a.ID]} onInput=${(e) => onChange({ ...chosen, [a.ID]: e.target.value })} />`}</li>`)}</ul></fieldset>`
}

// columns are those of a file of a segment's members, whatever they did. The addresses are in it for those who may see them.
function columns() {
  const mail = may('editor', 'developer')
  return { fields: 'ID,FirstName,Surname,Username,CountryCode' + (mail ? ',Email' : ''), head: ['ID', 'Name', ...(mail ? ['E-mail'] : []), 'Country'],
    row: (m) => [Number(m.ID), nameOf(m), ...(mail ? [m.Email ?? ''] : []), m.CountryCode ?? ''] }
}

// Inside is who is in a segment now.
function Inside({ id, name }) {
  const list = useAnswer('/v1.1/members/active', { members_from_segment: id, period: '1 Year', limit: 25, fields: 'ID,FirstName,Surname,Username,Score,ActivityCount' }, 30_000)
  const items = list.data?.items ?? [], { fields, head, row } = columns()
  return html`<${Card} title="Members in it" note="most active of a year first" of=${list} tools=${html`<${All} title="All in ${name}" path="/v1.1/members" params=${{ members_from_segment: id, fields }} head=${head} row=${row} />`} empty=${list.data && !items.length && 'Nobody is in this segment now.'}
    csv=${{ head: ['ID', 'Name', 'Score', 'Activities'], rows: items.map((m) => [Number(m.ID), nameOf(m), Number(m.Score), Number(m.ActivityCount)]) }}>
    <ol class="brands">${items.map((m) => html`<li key=${m.ID}><a href=${'/member/' + m.ID}><${Picture} of=${m} /><span class="cut">${nameOf(m)}</span><span class="value">${count(Number(m.Score))}</span></a></li>`)}</ol>
    <p class="more"><a href=${'/members?members_from_segment=' + id}>All of them</a></p><//>`
}
