// Two to four brands side by side.
import { html } from '../vendor/view.js'
import { useAnswer } from '../ui/use.js'
import { Card } from '../ui/card.js'
import { Figure, Mark } from '../ui/kit.js'
import { Lines } from '../charts/lines.js'
import { go, href, place, range, turn, turnedOn } from '../lib/place.js'
import { parse, percent } from '../lib/format.js'

export function Compare() {
  const ids = (place.value.view.brands ?? '').split(',').filter(Boolean).slice(0, 4)
  const names = useAnswer('/v1.1/brands', { limit: 200 }, 600_000)
  const by = new Map((names.data?.items ?? []).map((b) => [String(b.ID), b]))
  const daily = [0, 1, 2, 3].map((i) => useAnswer(ids[i] && '/v1.1/activity/count/daily', { brandID: ids[i], ...range.value }, 30_000))
  const shared = useAnswer(ids[0] && `/v1.1/brands/${ids[0]}/crossover`, { ...range.value, limit: 200 }, 60_000)
  const indexed = turnedOn('scale', 'indexed')
  const lines = ids.map((id, i) => ({ name: by.get(id)?.Name ?? id, values: (daily[i].data?.items ?? []).map((d) => Number(d.Count)) }))
  const days = !ids[0] ? [] : (daily[0].data?.items ?? []).map((d) => parse(d.Date + ' 00:00:00'))
  const left = [...by.values()].filter((b) => !ids.includes(String(b.ID)))
  const put = (all) => go({ view: { ...place.value.view, brands: all.join(',') } })
  return html`<div class="page"><div class="title"><div><h1>Compare</h1><p class="dim">Up to four brands over the same days</p></div></div>
    <div class="filters">${ids.map((id) => html`<span class="chip">${by.get(id)?.Name ?? id}<button aria-label=${'Remove ' + (by.get(id)?.Name ?? id)} onClick=${() => put(ids.filter((x) => x !== id))}>×</button></span>`)}
      ${ids.length < 4 && html`<select aria-label="Add a brand" value="" onChange=${(e) => put([...ids, e.target.value])}><option value="">Add a brand …</option>${left.map((b) => html`<option value=${b.ID}>${b.Name}</option>`)}</select>`}
      <div class="range" role="radiogroup" aria-label="Scale">${[[false, 'Numbers'], [true, 'First day is 100']].map(([on, words]) => html`<button role="radio" aria-checked=${indexed === on} onClick=${() => indexed !== on && turn('scale', 'indexed')}>${words}</button>`)}</div></div>
    ${!ids.length ? html`<div class="say"><strong>Choose brands to compare</strong></div>` : html`
    <div class="cards two">${ids.map((id, i) => html`<section class="card low" key=${id}><header><h2><a href=${href({ path: '/brand/' + id, filters: {}, view: {} })}><${Mark} name=${by.get(id)?.Name ?? id} id=${id} size="s" /> ${by.get(id)?.Name ?? id}</a></h2></header>
        <div class="figures inner"><${Figure} label="Activities" value=${daily[i].data && Number(daily[i].data.TotalCount)} of=${daily[i]} line=${lines[i].values} /><${Figure} label="Active members" value=${daily[i].data && Number(daily[i].data.TotalMembers)} of=${daily[i]} line=${daily[i].data?.items?.map((d) => Number(d.DistinctMembers))} /></div></section>`)}</div>
    <div class="cards"><${Card} title="Activities by day" kind="wide" of=${daily[0]} table=${{ head: ['Day', ...lines.map((l) => l.name)], rows: days.map((t, d) => [new Date(t).toISOString().slice(0, 10), ...lines.map((l) => l.values[d] ?? 0)]).reverse() }}><${Lines} days=${days} lines=${lines} indexed=${indexed} /><//>
      <${Card} title=${'Shared with ' + (by.get(ids[0])?.Name ?? '')} of=${shared} empty=${ids.length < 2 && 'Add a second brand.'}>
        <ul class="rows">${ids.slice(1).map((id) => { const b = shared.data?.items?.find((x) => String(x.ID) === id); return html`<li><strong>${by.get(id)?.Name ?? id}</strong><span class="value">${b ? percent(Number(b.Percentage)) : '0 %'} of its members</span></li>` })}</ul><//></div>`}</div>`
}
