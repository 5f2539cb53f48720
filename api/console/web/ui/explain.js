// Where a member's score is from: the actions behind it, as the API names them, by what they are worth.
import { html, useEffect, useState } from '../vendor/view.js'
import { Card } from './card.js'
import { address, get, onward, pages } from '../lib/api.js'
import { count } from '../lib/format.js'

export function Explained({ id, params, onClose }) {
  const [data, set] = useState(null), [error, fail] = useState(null)
  useEffect(() => {
    const stop = new AbortController()
    explain(id, params, stop.signal).then(set, (err) => { if (!stop.signal.aborted) fail(err) })
    return () => stop.abort()
  }, [id, JSON.stringify(params)])
  const head = ['Activity', 'Times', 'Points each', 'Points']
  return html`<${Card} title="Where the score is from" kind="row low" of=${{ data, error }} note=${data && `${count(data.actions)} actions, ${count(data.points)} points`}
    csv=${data && { head, rows: data.rows }} tools=${html`<button class="plain" onClick=${onClose}>Close</button>`}>
    ${data && html`<table class="list"><thead><tr>${head.map((h, i) => html`<th scope="col" class=${i ? 'num' : ''}>${h}</th>`)}</tr></thead>
      <tbody>${data.rows.map((r) => html`<tr>${r.map((c, i) => (i ? html`<td class="num">${count(c)}</td>` : html`<th scope="row">${c}</th>`))}</tr>`)}</tbody></table>`}<//>`
}

// explain reads the ids of the actions, then the actions, and adds up those that have one.
async function explain(id, params, signal) {
  const ids = new Set()
  for (let url = address('/v1.1/member/' + id, { ...params, explain: 1 }); url;) {
    const { explain: of } = (await get(url, signal)).body
    for (const action of of.actions) ids.add(action)
    url = of.next && onward(of.next)
  }
  const kinds = new Map()
  for await (const items of pages('/v1.1/activity/feed', { ...params, members: id, all_member_actions: 1, includeOneTime: 1, limit: 1000 }, signal)) {
    for (const i of items) {
      if (!ids.has(i.ID)) continue
      const key = i.Name + ' ' + i.Value, row = kinds.get(key) ?? [i.Name, 0, Number(i.Value), 0]
      row[1]++
      row[3] += row[2]
      kinds.set(key, row)
    }
  }
  const rows = [...kinds.values()].sort((a, b) => b[3] - a[3])
  return { rows, actions: rows.reduce((s, r) => s + r[1], 0), points: rows.reduce((s, r) => s + r[3], 0) }
}
