// What the account's applications ask, against what their plan allows.
import { html } from '../vendor/view.js'
import { useAnswer } from '../ui/use.js'
import { Card } from '../ui/card.js'
import { Figure } from '../ui/kit.js'
import { Stacked } from '../charts/stacked.js'
import { Bars } from '../charts/bars.js'
import { range } from '../lib/place.js'
import { parse } from '../lib/format.js'

export function Usage() {
  const of = useAnswer('/v1.1/account/usage', { interval: 'day', start_date: range.value.start_date, end_date: new Date().toISOString().slice(0, 10), app_scope: 'businessunit' }, 60_000)
  const total = of.data?.[0].hits_total, apps = of.data?.[0].hits_per_application ?? []
  const days = (total?.TotalHitsPerDay ?? []).map((d) => parse(d.day + ' 00:00:00'))
  const values = (total?.TotalHitsPerDay ?? []).map((d) => Number(d.hits))
  return html`<div class="page"><div class="title"><div><h1>Usage</h1><p class="dim">Requests of the account's applications</p></div></div>
    <div class="figures"><${Figure} label="Requests" value=${total && Number(total.TotalHitsForPeriod)} line=${values} of=${of} /><${Figure} label="Applications" value=${of.data && apps.length} of=${of} /></div>
    <div class="cards"><${Card} title="Requests by day" kind="wide" of=${of} empty=${of.data && !days.length && 'No request in this range.'} table=${{ head: ['Day', 'Requests'], rows: days.map((t, i) => [new Date(t).toISOString().slice(0, 10), values[i]]).reverse() }}>
        <${Stacked} days=${days} series=${[{ name: 'requests', values }]} /><//>
      <${Card} title="By application" of=${of} empty=${of.data && !apps.length && 'No application asked anything.'} table=${{ head: ['Application', 'Requests'], rows: apps.map((a) => [a.ApplicationName, Number(a.TotalHitsForPeriod)]) }}>
        <${Bars} unit="requests" rows=${apps.map((a) => ({ key: a.ApplicationName, label: a.ApplicationName, value: Number(a.TotalHitsForPeriod), fixed: true }))} /><//></div></div>`
}
