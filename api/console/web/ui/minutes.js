// Actions by minute: the last half hour, and the minute that goes on.
import { html, useEffect, useMemo, useState } from '../vendor/view.js'
import { Card } from './card.js'
import { address, failing, get } from '../lib/api.js'
import { count, moment, parse } from '../lib/format.js'

const step = 5000, minute = 60_000, shown = 30
const settles = 10_000 // then a minute that is over is asked for once more: what came late is in it
const path = '/v1.1/activity/feed'
const idle = () => new Promise((done) => { (globalThis.requestIdleCallback ?? setTimeout)(done, { timeout: 500 }) }) // the rest of the page comes first
const floor = (t, of) => Math.floor(t / of) * of

// counter has the actions of each minute: what the API answers, and what the stream brought since. Minutes in which the page was
// hidden or not connected, and those that are over, are asked for again. While the page loads it waits until the browser is idle.
function counter(params, changed, loads) {
  const minutes = new Map(), steps = new Map(), ends = new AbortController()
  let open = 0, at = 0, skew = 0, busy = false, again = false, failed = null
  const now = () => Date.now() + skew
  const live = () => open > 0 && !failing.value
  const question = (m) => ({ ...params, all_member_actions: 1, includeOneTime: 1, limit: 0, start_date: moment(m), end_date: moment(m + minute) })

  // due is a minute that has to be asked for, the latest first.
  function due() {
    for (let i = 0, m = floor(now(), minute); i <= shown; i++, m -= minute) {
      const asked = minutes.get(m)?.asked
      if (asked === undefined || (asked < m + minute + settles && now() >= m + minute + settles)) return m
    }
  }
  async function fill() {
    if (busy || !live()) return
    busy = true
    try {
      for (let m = due(); m !== undefined && live(); m = due()) {
        if (loads) await idle()
        const { body, headers } = await get(address(path, question(m)), ends.signal)
        const said = Date.parse(headers.get('date')) - Date.now()
        if (Math.abs(said - skew) > step) skew = said // the clocks of the two machines differ
        minutes.set(m, { n: Number(body.totalSize), asked: now() })
      }
      failed = null
    } catch (err) {
      failed = err // the next step tries again
    }
    busy = false
    if (!ends.signal.aborted) show()
  }
  function show() {
    if (live() && due() === undefined) at = now()
    if (!at) return changed(failed && { failed })
    const last = floor(at, minute), rows = []
    for (let m = last - shown * minute; m <= last; m += minute) rows.push({ at: m, n: minutes.get(m)?.n ?? 0 })
    let rate = rows.at(-2).n
    if (open && open <= at - minute) for (let t = floor(at, step), i = rate = 0; i < minute / step; i++) rate += steps.get(t -= step) ?? 0
    changed({ rows, rate, live: live(), asked: { path, params: question(last - minute) } })
  }
  function tick() {
    if (document.visibilityState !== 'visible') return
    const m = floor(now(), minute)
    if (live() && !minutes.has(m)) {
      if (again) minutes.clear()
      else if (open <= m) minutes.set(m, { n: 0, asked: 0 }) // the stream has all of it
      again = false
    }
    for (const t of minutes.keys()) if (t < m - shown * minute) minutes.delete(t)
    for (const t of steps.keys()) if (t < now() - 2 * minute) steps.delete(t)
    fill()
    show()
  }
  return {
    item(i) {
      const t = parse(i.CompleteDate), has = minutes.get(floor(t, minute))
      if (has) has.n++
      if (t > now() - 2 * minute) steps.set(floor(t, step), (steps.get(floor(t, step)) ?? 0) + 1)
    },
    gone() { again = true }, // with the next minute all are asked for
    state(s) {
      open = s === 'open' ? now() : 0
      if (!open) failed = new Error('The live stream is not connected.')
      tick()
    },
    start() {
      const timer = setInterval(tick, step)
      return () => { clearInterval(timer); ends.abort() }
    },
  }
}

// useMinutes counts; what it gives is for the feed that has the page's stream, and for the card.
export function useMinutes(params) {
  const [of, set] = useState(null), key = JSON.stringify(params)
  const tell = useMemo(() => counter(params, set, !of), [key])
  useEffect(() => { set((old) => old && { ...old, stale: true }); return tell.start() }, [tell])
  return { of, tell }
}

const clock = (t) => moment(t).slice(11, 16)

export function Minutes({ of }) {
  const rows = of?.rows ?? [], most = Math.max(1, ...rows.map((r) => r.n)), done = rows.slice(0, -1)
  return html`<${Card} title="Per minute, live" kind="wide low" of=${{ data: of?.rows, error: of?.failed, stale: of?.stale, question: of?.asked }}
    note=${of?.rows && !of.live ? 'reconnecting …' : ''} table=${{ head: ['Minute (UTC)', 'Activities'], rows: rows.map((r) => [moment(r.at).slice(0, 16), r.n]).reverse() }}>
    ${of?.rows && html`<div class="minutes"><p><span class="amount">${count(of?.rate)}</span> <span class="dim">in ${of?.live ? 'the last minute' : `the minute to ${clock(rows.at(-1)?.at)} UTC`}</span></p>
      <div role="img" aria-label="Activities in each of ${shown} minutes up to ${clock(rows.at(-1)?.at)} UTC: ${count(Math.min(...done.map((r) => r.n)))} to ${count(Math.max(...done.map((r) => r.n)))}, ${count(done.at(-1)?.n)} in the last whole one. The table has the same numbers.">
      ${rows.map((r, i) => html`<i key=${r.at} class=${i === shown ? 'now' : ''} title="${clock(r.at)} UTC: ${count(r.n)}${i === shown ? ' so far' : ''}" style=${{ height: 100 * r.n / most + '%' }}></i>`)}</div>
      <p class="dim"><span>${clock(rows[0]?.at)}</span><span>most ${count(most)}</span><span>${clock(rows.at(-1)?.at)} UTC, so far</span></p></div>`}<//>`
}
