// Registrations and logins: how many, through which network, on which page.
import { html } from '../vendor/view.js'
import { useAnswer } from '../ui/use.js'
import { Card } from '../ui/card.js'
import { Figure } from '../ui/kit.js'
import { Bars } from '../charts/bars.js'
import { Stacked } from '../charts/stacked.js'
import { range, before } from '../lib/place.js'
import { compact, parse, service } from '../lib/format.js'

export function SignUps() {
  const n = (x) => (x === undefined ? undefined : Number(x))
  const totals = useAnswer('/v1.1/login/stats/totals', range.value), was = useAnswer('/v1.1/login/stats/totals', before.value, 300_000)
  const timeline = useAnswer('/v1.1/login/stats/timeline', range.value)
  const channels = useAnswer('/v1.1/login/stats/channels', range.value)
  const domains = useAnswer('/v1.1/login/stats/domains', range.value)
  const days = (timeline.data?.services[0]?.range ?? []).map((r) => parse(r.Date + ' 00:00:00'))
  const series = (timeline.data?.services ?? []).filter((s) => Number(s.ServiceTotal)).map((s) => ({ name: s.service, values: s.range.map((r) => Number(r.Count)), total: Number(s.ServiceTotal) }))
  return html`<div class="page"><div class="title"><div><h1>Sign-ups</h1><p class="dim">Registrations, and logins after them</p></div></div>
    <div class="figures"><${Figure} label="Registrations" value=${n(totals.data?.registrations)} before=${n(was.data?.registrations)} of=${totals} />
      <${Figure} label="Members" value=${n(totals.data?.members)} before=${n(was.data?.members)} of=${totals} help="Different people who registered or logged in" />
      <${Figure} label="Logins" value=${n(totals.data?.logins)} before=${n(was.data?.logins)} of=${totals} /></div>
    <div class="cards">
      <${Card} title="By day" kind="wide" of=${timeline} empty=${timeline.data && !series.length && 'Nobody registered or logged in in this range.'} table=${{ head: ['Day', ...series.map((s) => service(s.name))], rows: days.map((t, i) => [new Date(t).toISOString().slice(0, 10), ...series.map((s) => s.values[i])]).reverse() }}>
        <${Stacked} days=${days} series=${series} /><ul class="legend">${series.map((s) => html`<li><span><i class="dot s-${s.name}"></i>${service(s.name)}<span class="dim">${compact(s.total)}</span></span></li>`)}</ul><//>
      <${Card} title="By channel" of=${channels} empty=${channels.data && !channels.data.channels.length && 'Nobody registered in this range.'} table=${{ head: ['Channel', 'Registrations'], rows: (channels.data?.channels ?? []).map((c) => [service(c.service), n(c.signups)]) }}>
        <${Bars} unit="registrations" rows=${(channels.data?.channels ?? []).slice(0, 10).map((c) => ({ key: c.service, label: service(c.service), dot: c.service, value: n(c.signups), fixed: true }))} /><//>
      <${Card} title="By page" of=${domains} empty=${domains.data && !domains.data.domains.length && 'Nobody registered in this range.'} table=${{ head: ['Domain', 'Registrations'], rows: (domains.data?.domains ?? []).map((d) => [d.domain ?? 'none', n(d.signups)]) }}>
        <${Bars} unit="registrations" rows=${(domains.data?.domains ?? []).slice(0, 10).map((d) => ({ key: d.domain ?? '', label: d.domain ?? 'no domain', value: n(d.signups), fixed: true }))} /><//>
    </div></div>`
}
