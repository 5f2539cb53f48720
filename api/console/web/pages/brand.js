// One brand: what its audience did in the range, who and where they are, what else they like.
import { html } from '../vendor/view.js'
import { useAnswer } from '../ui/use.js'
import { Card } from '../ui/card.js'
import { Figure, Mark } from '../ui/kit.js'
import { AddFilter, Chips } from '../ui/filters.js'
import { Feed } from '../ui/feed.js'
import { Stacked, fromTimeline } from '../charts/stacked.js'
import { Since } from '../charts/mark.js'
import { Bars, Columns } from '../charts/bars.js'
import { WorldMap } from '../charts/map.js'
import { href, place, range, before, toggle, turn, has } from '../lib/place.js'
import { web, count, compact, percent, service, country } from '../lib/format.js'

export function Brand({ id }) {
  const asked = { ...range.value, ...place.value.filters }, earlier = { ...before.value, ...place.value.filters }
  const at = `/v1.1/brand/${id}`
  const brand = useAnswer(at, {}, 60_000)
  const daily = useAnswer('/v1.1/activity/count/daily', { brandID: id, ...asked })
  const was = useAnswer('/v1.1/activity/count/daily', { brandID: id, ...earlier }, 300_000)
  const timeline = useAnswer(at + '/stats/timeline', asked)
  const tally = useAnswer(at + '/stats/activity', asked)
  const members = useAnswer(at + '/stats/members', asked)
  const wasMembers = useAnswer(at + '/stats/members', earlier, 300_000)
  const places = useAnswer(at + '/stats/location', asked)
  const wasPlaces = useAnswer(at + '/stats/location', earlier, 300_000)
  const ages = useAnswer(at + '/stats/age', asked)
  const genders = useAnswer(at + '/stats/gender', asked)
  const cross = useAnswer(`/v1.1/brands/${id}/crossover`, { ...asked, limit: 8 })
  const top = useAnswer('/v1.1/members/active', { brandID: id, ...asked, limit: 8, fields: 'ID,FirstName,Surname,Username,Score,ActivityCount,CountryCode,MemberAvatarURL' })

  const n = (x) => (x === undefined ? undefined : Number(x))
  const total = n(daily.data?.TotalCount), active = n(daily.data?.TotalMembers)
  const totalWas = n(was.data?.TotalCount), activeWas = n(was.data?.TotalMembers)
  const name = brand.data?.Name ?? '…', site = web(brand.data?.OfficialWebsiteURL)
  const activities = Object.fromEntries((tally.data?.items ?? []).map((i) => [i.ActivityID, i.Activity]))
  const { days, series } = timeline.data ? fromTimeline(timeline.data) : { days: [], series: [] }
  const countries = (places.data?.Countries ?? []).filter((c) => c.Country).map((c) => ({ code: c.Country, name: c.CountryName, members: n(c.Members), actions: n(c.Actions) }))
  const membersWas = Object.fromEntries((wasPlaces.data?.Countries ?? []).map((c) => [c.Country, n(c.Members)]))
  const gone = (wasPlaces.data?.Countries ?? []).filter((c) => c.Country && !countries.some((x) => x.code === c.Country)).map((c) => ({ code: c.Country, name: c.CountryName, members: 0, actions: 0 }))
  const growth = place.value.view.where === 'growth', more = (c) => c.members - (membersWas[c.code] ?? 0)
  const byMembers = (growth ? [...countries, ...gone] : countries).sort((a, b) => (growth ? more(b) - more(a) : 0) || b.members - a.members)
  const short = (s) => (s.endsWith(' ' + name) ? s.slice(0, -name.length - 1).replace(/ (by|of|for|to|from|on)$/, '') : s)
  const none = (of) => of.data && total === 0 && 'No activity with these filters in this range.'

  return html`<div class="page">
    <div class="title"><${Mark} name=${name} id=${Number(id)} /><div><h1>${name}</h1><p class="dim">${brand.data?.Type ?? ' '}${site && html` · <a href=${site.href} rel="noreferrer" target="_blank">${site.hostname}</a>`}</p></div><span class="acts right"><${AddFilter} of=${['country', 'services', 'activityID', 'members_from_segment', 'domain', 'paid_only', 'optedin']} /><a class="plain" href=${href({ path: '/compare', filters: {}, view: { brands: id } })}>Compare</a></span></div>
    <${Chips} names=${activities} />
    <div class="figures">
      <${Figure} label="Activities" value=${total} before=${totalWas} of=${daily} line=${daily.data?.items.map((i) => i.Count)} help="Listens, follows, likes, views: each counted once" />
      <${Figure} label="Active members" value=${active} before=${activeWas} of=${daily} line=${daily.data?.items.map((i) => i.DistinctMembers)} help="Different people over the whole range" />
      <${Figure} label="New members" value=${n(members.data?.NewMembers)} before=${n(wasMembers.data?.NewMembers)} of=${members} help="Whose first activity ever for this brand is in the range" />
      <${Figure} label="Activities a member" value=${active ? total / active : undefined} before=${activeWas ? totalWas / activeWas : undefined} of=${daily} />
    </div>
    <div class="cards">
      <${Card} title="Activity by day" kind="wide chart" tools=${html`<${Since} />`} of=${timeline} empty=${timeline.data && !series.length && 'No activity with these filters in this range.'}
        table=${{ head: ['Day', ...series.map((s) => service(s.name)), 'All'], rows: days.map((t, i) => [new Date(t).toISOString().slice(0, 10), ...series.map((s) => s.values[i]), series.reduce((sum, s) => sum + s.values[i], 0)]).reverse() }}>
        <${Stacked} days=${days} series=${series} />
        <ul class="legend">${series.map((s) => html`<li><button aria-pressed=${has('services', s.name)} onClick=${() => toggle('services', s.name)} title=${`${count(s.total)} activities, ${count(s.members)} members`}><i class="dot s-${s.name}"></i>${service(s.name)}<span class="dim">${compact(s.total)}</span></button></li>`)}</ul><//>
      <${Feed} params=${{ brandID: id, ...place.value.filters }} kind="tall" words=${(brand.data || brand.error) && short} />
      <${Card} title="Where" kind="wide world" of=${places} empty=${none(places)} note=${countries.length === 1 ? '1 country' : `${countries.length} countries`}
        tools=${html`<button class="plain" aria-pressed=${growth} title="Members more than in as many days before" onClick=${() => turn('where', 'growth')}>Growth</button>`}
        table=${{ head: ['Country', 'Members', 'Activities', ...(wasPlaces.data ? ['Members before', 'More'] : [])], rows: byMembers.map((c) => [c.name, c.members, c.actions, ...(wasPlaces.data ? [membersWas[c.code] ?? 0, more(c)] : [])]) }}>
        <div class="where"><${WorldMap} rows=${countries} chosen=${(c) => has('country', c)} onPick=${(c) => toggle('country', c)} />
        <${Bars} unit="members" rows=${byMembers.slice(0, 8).map((c) => ({ key: c.code, label: c.name, value: c.members, said: growth && wasPlaces.data ? signed(more(c)) : undefined, on: has('country', c.code) }))} onPick=${(c) => toggle('country', c)} /></div><//>
      <${Card} title="What they did" of=${tally} empty=${none(tally)}
        table=${{ head: ['Activity', 'Service', 'Count', 'Members'], rows: (tally.data?.items ?? []).map((i) => [i.Activity, i.ServiceType ? service(i.ServiceType) : '', n(i.Count), n(i.DistinctMembers)]) }}>
        <${Bars} unit="activities" rows=${(tally.data?.items ?? []).slice(0, 9).map((i) => ({ key: i.ActivityID, label: short(i.Activity), dot: i.ServiceType, side: i.ServiceType && service(i.ServiceType), value: n(i.Count), on: has('activityID', i.ActivityID) }))} onPick=${(k) => toggle('activityID', k)} /><//>
      <${Card} title="What else they like" of=${cross} empty=${cross.data && !cross.data.items.length && 'Nobody here is active for another brand.'} note="of active members"
        table=${{ head: ['Brand', 'Type', 'Members', '% of members'], rows: (cross.data?.items ?? []).map((b) => [b.Name, b.Type, n(b.ActiveMembers), n(b.Percentage)]) }}>
        <ol class="brands">${(cross.data?.items ?? []).map((b) => html`<li key=${b.ID}><a href=${'/brand/' + b.ID + location.search}><${Mark} name=${b.Name} id=${b.ID} size="s" /><span class="cut">${b.Name}<small>${b.Type}</small></span><span class="share"><i style=${{ width: b.Percentage + '%' }}></i></span><span class="value">${percent(Number(b.Percentage))}</span></a></li>`)}</ol><//>
      <${Card} title="Who" of=${ages} empty=${none(ages)} note=${ages.data && `age known for ${percent(100 * (1 - share(ages.data.Ages)))}`}
        table=${{ head: ['Group', 'Members', 'Activities'], rows: [...(ages.data?.Ages ?? []).map((a) => [a.Age, n(a.Members), n(a.Actions)]), ...(genders.data?.Genders ?? []).map((g) => [words[g.Gender] ?? g.Gender, n(g.Members), n(g.Actions)])] }}>
        <${Columns} rows=${(ages.data?.Ages ?? []).filter((a) => a.Age !== 'Unknown').map((a) => ({ label: a.Age, value: n(a.Members) }))} />
        ${genders.data && html`<${Genders} rows=${genders.data.Genders} />`}<//>
      <${Card} title="Most active members" of=${top} empty=${top.data && !top.data.items.length && 'No active member with these filters.'} note="by score"
        table=${{ head: ['Member', 'Country', 'Score', 'Activities'], rows: (top.data?.items ?? []).map((m) => [who(m), m.CountryCode ?? '', n(m.Score), n(m.ActivityCount)]) }}>
        <ol class="brands">${(top.data?.items ?? []).map((m) => html`<li key=${m.ID}><a href=${'/member/' + m.ID}><img src=${new URL(m.MemberAvatarURL, location).pathname} alt="" width="28" height="28" /><span class="cut">${who(m)}<small>${m.CountryCode ? country(m.CountryCode) : 'country unknown'}</small></span><span class="dim">${count(n(m.ActivityCount))} activities</span><span class="value">${count(n(m.Score))}</span></a></li>`)}</ol><//>
    </div></div>`
}

const signed = (x) => (x > 0 ? '▲ ' : x < 0 ? '▼ ' : '■ ') + count(Math.abs(x))
const words = { M: 'Male', F: 'Female', Other: 'Other', Unknown: 'Unknown' }
const who = (m) => [m.FirstName, m.Surname].filter(Boolean).join(' ') || m.Username || 'Member ' + m.ID
const share = (list) => { const all = list.reduce((s, a) => s + Number(a.Members), 0); return all ? Number(list.find((a) => a.Age === 'Unknown')?.Members ?? 0) / all : 0 }

function Genders({ rows }) {
  const all = rows.reduce((s, g) => s + Number(g.Members), 0) || 1
  return html`<div class="genders"><div class="split" aria-hidden="true">${rows.map((g) => html`<i class="g-${g.Gender}" style=${{ width: 100 * g.Members / all + '%' }}></i>`)}</div>
    <ul>${rows.map((g) => html`<li><i class="dot g-${g.Gender}"></i>${words[g.Gender] ?? g.Gender} <span class="dim">${percent(100 * g.Members / all)}</span></li>`)}</ul></div>`
}
