// The segments of the account: their rules, and how many members each has.
import { html } from '../vendor/view.js'
import { useAnswer } from '../ui/use.js'
import { Card } from '../ui/card.js'
import { count } from '../lib/format.js'
import { may } from '../lib/session.js'

export function Segments() {
  const list = useAnswer('/v1.1/segments', { limit: 200 }, 30_000)
  const items = list.data?.items ?? []
  const rule = (s) => s.Rule ? `at least ${count(s.Threshold)} ${s.Threshold === 1 ? 'point' : 'points'}${s.Period ? ' in ' + s.Period.toLowerCase() : ''}` : 'chosen by hand'
  return html`<div class="page"><div class="title"><div><h1>Segments</h1><p class="dim">${list.data ? `${count(items.length)} segments` : ' '}</p></div>${may('editor', 'developer') && html`<a class="act right" href="/segment/new">New segment</a>`}</div>
    <${Card} title="Segments" of=${list} empty=${list.data && !items.length && 'No segment yet. An editor makes one.'} csv=${{ head: ['Segment', 'Rule', 'Activities', 'Members'], rows: items.map((s) => [s.Name, rule(s), s.Activities.length, Number(s.Members)]) }}>
      <table class="list"><thead><tr><th scope="col">Segment</th><th scope="col">Rule</th><th scope="col" class="num">Members</th><th scope="col" class="num">Activities</th></tr></thead>
        <tbody>${items.map((s) => html`<tr key=${s.ID}><th scope="row"><a href=${'/segment/' + s.ID}><span>${s.Name}${s.Label && html`<small>${s.Label}</small>`}</span></a></th><td>${rule(s)}</td><td class="num">${count(Number(s.Members))}</td><td class="num">${s.Activities.length}</td></tr>`)}</tbody></table><//></div>`
}
