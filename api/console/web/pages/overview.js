// All brands of the account at once.
import { html } from '../vendor/view.js'
import { useAnswer } from '../ui/use.js'
import { Card } from '../ui/card.js'
import { Figure, Mark } from '../ui/kit.js'
import { AddFilter, Chips } from '../ui/filters.js'
import { Bars } from '../charts/bars.js'
import { Feed } from '../ui/feed.js'
import { Minutes, useMinutes } from '../ui/minutes.js'
import { Stacked, fromTimeline } from '../charts/stacked.js'
import { Since } from '../charts/mark.js'
import { place, range, before, toggle, has } from '../lib/place.js'
import { count, compact, percent, service } from '../lib/format.js'

export function Overview() {
  const asked = { ...range.value, ...place.value.filters }, earlier = { ...before.value, ...place.value.filters }
  const n = (x) => (x === undefined ? undefined : Number(x))
  const daily = useAnswer('/v1.1/activity/count/daily', asked)
  const was = useAnswer('/v1.1/activity/count/daily', earlier, 300_000)
  const timeline = useAnswer('/v1.1/activity/count/services', asked)
  const popular = useAnswer('/v1.1/brands/crossover', { ...asked, limit: 12 })
  const signups = useAnswer('/v1.1/login/stats/totals', range.value)
  const channels = useAnswer('/v1.1/login/stats/channels', range.value)
  const wasSignups = useAnswer('/v1.1/login/stats/totals', before.value, 300_000)
  const minutes = useMinutes(place.value.filters)
  const { days, series } = timeline.data ? fromTimeline(timeline.data) : { days: [], series: [] }
  return html`<div class="page"><div class="title"><div><h1>Overview</h1><p class="dim">All brands of the account</p></div><span class="acts right"><${AddFilter} of=${['country', 'services', 'brandID', 'activityID', 'members_from_segment', 'domain', 'paid_only']} /></span></div><${Chips} />
    <div class="figures">
      <${Figure} label="Activities" value=${n(daily.data?.TotalCount)} before=${n(was.data?.TotalCount)} of=${daily} line=${daily.data?.items.map((i) => i.Count)} />
      <${Figure} label="Active members" value=${n(daily.data?.TotalMembers)} before=${n(was.data?.TotalMembers)} of=${daily} line=${daily.data?.items.map((i) => i.DistinctMembers)} />
      <${Figure} label="New registrations" value=${n(signups.data?.registrations)} before=${n(wasSignups.data?.registrations)} of=${signups} />
      <${Figure} label="Sign-ins" value=${n(signups.data?.logins)} before=${n(wasSignups.data?.logins)} of=${signups} />
    </div>
    <div class="cards"><${Minutes} of=${minutes.of} />
      <${Card} title="Activity by day" kind="wide chart" tools=${html`<${Since} />`} of=${timeline} empty=${timeline.data && !series.length && 'No activity in this range. Publish some: Docs › Publishing.'}
        table=${{ head: ['Day', ...series.map((s) => service(s.name))], rows: days.map((t, i) => [new Date(t).toISOString().slice(0, 10), ...series.map((s) => s.values[i])]).reverse() }}>
        <${Stacked} days=${days} series=${series} />
        <ul class="legend">${series.map((s) => html`<li><button aria-pressed=${has('services', s.name)} onClick=${() => toggle('services', s.name)}><i class="dot s-${s.name}"></i>${service(s.name)}<span class="dim">${compact(s.total)}</span></button></li>`)}</ul><//>
      <${Feed} params=${place.value.filters} tell=${minutes.tell} kind="beside" />
      <${Card} title="Brands by active members" kind="wide" of=${popular} table=${{ head: ['Brand', 'Type', 'Members', '%'], rows: (popular.data?.items ?? []).map((b) => [b.Name, b.Type, n(b.ActiveMembers), n(b.Percentage)]) }}>
        <ol class="brands two">${(popular.data?.items ?? []).map((b) => html`<li key=${b.ID}><a href=${'/brand/' + b.ID + location.search}><${Mark} name=${b.Name} id=${b.ID} size="s" /><span class="cut">${b.Name}<small>${b.Type}</small></span><span class="share"><i style=${{ width: b.Percentage + '%' }}></i></span><span class="dim">${count(n(b.ActiveMembers))}</span><span class="value">${percent(Number(b.Percentage))}</span></a></li>`)}</ol><//>
      <${Card} title="Registrations by channel" of=${channels} empty=${channels.data && !channels.data.channels.length && 'Nobody registered in this range.'}
        table=${{ head: ['Service', 'Registrations'], rows: (channels.data?.channels ?? []).map((c) => [service(c.service), n(c.signups)]) }}>
        <${Bars} unit="registrations" rows=${(channels.data?.channels ?? []).slice(0, 9).map((c) => ({ key: c.service, label: service(c.service), dot: c.service, value: n(c.signups), fixed: true }))} /><//>
    </div></div>`
}
