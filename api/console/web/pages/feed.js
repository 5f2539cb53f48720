// Everything that members do: what comes on top, what was below, page by page.
import { html } from '../vendor/view.js'
import { useAnswer } from '../ui/use.js'
import { Card } from '../ui/card.js'
import { AddFilter, Chips } from '../ui/filters.js'
import { Actions, Feed } from '../ui/feed.js'
import { Find, Pages } from '../ui/list.js'
import { All } from '../ui/all.js'
import { place, range, set } from '../lib/place.js'
import { count } from '../lib/format.js'

const size = 50
const head = ['ID', 'At (UTC)', 'Member', 'Activity', 'Brand', 'Service']
const row = (i) => [Number(i.ID), i.CompleteDate, i.MemberName ?? i.MemberID, i.Name, i.BrandName ?? '', i.ServiceType]

export function FeedPage() {
  const filters = place.value.filters, { skip = 0, latest } = place.value.view
  const asked = { ...range.value, ...filters, all_member_actions: latest ? 0 : 1, includeOneTime: 1, limit: `${skip},${size}` }
  const list = useAnswer('/v1.1/activity/feed', asked, 60_000)
  const items = list.data?.items ?? [], all = Number(list.data?.totalSize ?? 0)
  return html`<div class="page"><div class="title"><div><h1>Feed</h1><p class="dim">${list.data ? `${count(all)} ${latest ? 'members, the latest activity of each' : 'activities'} in the range` : ' '}</p></div></div>
    <div class="filters"><${Find} label="Text in the content" value=${filters.keyword} onFind=${(v) => set({ keyword: v })} />
      <div class="range" role="radiogroup" aria-label="Activities">${[['', 'All'], ['1', 'Latest of each member']].map(([k, words]) => html`<button role="radio" aria-checked=${(latest ?? '') === k} onClick=${() => set({}, { latest: k })}>${words}</button>`)}</div><${AddFilter} of=${['brandID', 'activityID', 'country', 'services', 'members_from_segment', 'domain', 'paid_only', 'optedin']} /></div>
    <${Chips} />
    <div class="cards"><${Card} title="In the range" kind="wide whole" of=${list} empty=${list.data && !items.length && 'No activity with these filters in this range.'}
        csv=${{ head, rows: items.map(row) }} tools=${html`<${All} title="All in the range" path="/v1.1/activity/feed" params=${{ ...asked, limit: undefined }} head=${head} row=${row} />`}>
        <${Actions} items=${items} /><${Pages} from=${Number(skip)} size=${size} all=${Math.min(all, 10_000)} /><//>
      <${Feed} params=${filters} title="As it comes" kind="tall first" /></div></div>`
}
