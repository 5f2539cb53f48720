// All of a list as CSV, or of it what keep says: it is read page by page, each from the place where the one before ended.
import { html, useRef, useState } from '../vendor/view.js'
import { pages } from '../lib/api.js'
import { count } from '../lib/format.js'
import { save } from './card.js'

const most = 100_000 // rows in a file

export function All({ title, path, params, head, row, keep = () => true }) {
  const [state, say] = useState(null), stop = useRef()
  const run = async () => {
    stop.current = new AbortController()
    const rows = []
    try {
      say({ rows: 0 })
      for await (const items of pages(path, { ...params, limit: 1000 }, stop.current.signal)) {
        rows.push(...items.filter(keep).map(row))
        say({ rows: rows.length })
        if (rows.length >= most) break
      }
      save(title, { head, rows: rows.slice(0, most) })
      say(rows.length < most ? null : { rows: most, words: `The file has the first ${count(most)} rows` })
    } catch (err) {
      say(stop.current.signal.aborted ? null : { rows: rows.length, words: err.message })
    }
  }
  if (!state) return html`<button class="plain" onClick=${run}>All as CSV</button>`
  if (state.words) return html`<span class="dim" role="alert">${state.words}</span><button class="plain" onClick=${run}>Again</button>`
  return html`<span class="dim" role="status">${count(state.rows)} rows …</span><button class="plain" onClick=${() => stop.current.abort()}>Cancel</button>`
}
