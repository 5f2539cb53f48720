// The account's brands: found by name, by type, and how each went in the range.
import { html } from '../vendor/view.js'
import { useAnswer } from '../ui/use.js'
import { Card } from '../ui/card.js'
import { Mark } from '../ui/kit.js'
import { Pages, Find } from '../ui/list.js'
import { Spark } from '../charts/spark.js'
import { href, place, range, set } from '../lib/place.js'
import { count } from '../lib/format.js'

const size = 25

export function Brands() {
  const { keyword, brand_type: type } = place.value.filters, { skip = 0 } = place.value.view
  const list = useAnswer('/v1.1/brands', { keyword, brand_type: type, limit: `${skip},${size}` }, 60_000)
  const all = Number(list.data?.totalSize ?? 0)
  const items = list.data?.items ?? []
  return html`<div class="page"><div class="title"><div><h1>Brands</h1><p class="dim">${list.data ? `${count(all)} brands` : ' '}</p></div></div>
    <div class="filters"><${Find} label="Name" value=${keyword} onFind=${(v) => set({ keyword: v }, {}, true)} />
      <div class="range" role="radiogroup" aria-label="Type of brand">${['', 'Music', 'Podcast', 'Film', 'Sport'].map((t) => html`<button role="radio" aria-checked=${(type ?? '') === t} onClick=${() => set({ brand_type: t })}>${t || 'All'}</button>`)}</div></div>
    <${Card} title="Brands" of=${list} empty=${list.data && !items.length && 'No brand has this name and type.'}>
      <table class="list"><thead><tr><th scope="col">Brand</th><th scope="col">Type</th><th scope="col" class="num">Active members</th><th scope="col" class="num">Activities</th><th scope="col"><span class="hide">Activities by day</span></th></tr></thead>
        <tbody>${items.map((b) => html`<${Row} key=${b.ID} b=${b} />`)}</tbody></table>
      <${Pages} from=${Number(skip)} size=${size} all=${all} /><//></div>`
}

function Row({ b }) {
  const daily = useAnswer('/v1.1/activity/count/daily', { brandID: b.ID, ...range.value }, 60_000)
  return html`<tr><th scope="row"><a href=${href({ path: '/brand/' + b.ID, filters: {}, view: {} })}><${Mark} name=${b.Name} id=${b.ID} size="s" />${b.Name}</a></th><td>${b.Type}</td>
    <td class="num">${daily.data ? count(Number(daily.data.TotalMembers)) : ''}</td><td class="num">${daily.data ? count(Number(daily.data.TotalCount)) : ''}</td>
    <td class="line">${daily.data && html`<${Spark} values=${daily.data.items.map((i) => Number(i.Count))} />`}</td></tr>`
}
