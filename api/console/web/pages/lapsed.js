// Members who were active in the range, and not in its last 28 days.
import { html, useEffect, useState } from '../vendor/view.js'
import { useAnswer } from '../ui/use.js'
import { Card } from '../ui/card.js'
import { AddFilter, Chips } from '../ui/filters.js'
import { All } from '../ui/all.js'
import { Audiences, Rows, columns, filtered } from './members.js'
import { pages } from '../lib/api.js'
import { lately, place, range, unseen } from '../lib/place.js'
import { count, parse } from '../lib/format.js'

const more = 50 // members that are added at once
const path = '/v1.1/members/active'

// Who was active in the last days of the range is among those who were active in it: the others are the difference of the two
// numbers. A member's last activity in the range says which ones they are.
export function Lapsed() {
  const filters = place.value.filters, since = lately.value
  const asked = { ...range.value, ...filters }
  const all = useAnswer(path, { ...asked, limit: 0 }, 30_000)
  const still = useAnswer(since && path, { ...asked, start_date: since, limit: 0 }, 30_000)
  const { fields, head, row } = columns()
  const listed = { ...asked, fields }, keep = (m) => m.LastActivity && parse(m.LastActivity.CompleteDate) < parse(since)
  const { rows, wants, failed, read } = useRead(since && listed, keep)
  const size = all.data && still.data ? Number(all.data.totalSize) - Number(still.data.totalSize) : undefined
  const of = { ...all, data: size !== undefined && (rows.length > 0 || !wants) ? all.data : null, stale: all.stale || still.stale, error: failed ?? all.error ?? still.error }
  return html`<div class="page"><div class="title"><div><h1>Lapsed members</h1><p class="dim">${!since ? ' ' : size === undefined ? ' ' : `${count(size)} of the ${count(Number(all.data.totalSize))} who were active in the range did nothing in its last ${unseen} days`}</p></div></div>
    <div class="filters"><${Audiences} at="/members/lapsed" /><${AddFilter} of=${filtered} /></div><${Chips} />
    ${since ? html`<${Card} title="Lapsed" note="by score" of=${of} empty=${size === 0 && `Everybody who was active in the range was so in its last ${unseen} days.`}
      tools=${html`<${All} title="All lapsed members" path=${path} params=${listed} head=${head} row=${row} keep=${keep} />`}>
      <${Rows} items=${rows} />${wants && html`<p class="more"><button class="plain" onClick=${read}>More</button></p>`}<//>`
      : html`<div class="say"><strong>The range is too short</strong><span>Lapsed is who was active before the last ${unseen} days: choose a longer range.</span></div>`}</div>`
}

// useRead reads a list, the highest score first, until it has more rows that keep takes; read goes on from there.
function useRead(params, keep) {
  const [state, set] = useState({ rows: [], wants: true }), key = JSON.stringify(params)
  useEffect(() => {
    if (!params) return
    const ends = new AbortController(), list = pages(path, { ...params, limit: 500 }, ends.signal)
    let rows = [], spare = [], done = false
    const read = async () => {
      try {
        while (spare.length < more && !done) {
          const next = await list.next()
          if (next.done) done = true
          else spare.push(...next.value.filter(keep))
        }
        rows = [...rows, ...spare.splice(0, more)]
        set({ rows, wants: !done || spare.length > 0, read })
      } catch (failed) {
        if (!ends.signal.aborted) set({ rows, wants: true, read, failed })
      }
    }
    set({ rows, wants: true })
    read()
    return () => ends.abort()
  }, [key])
  return state
}
