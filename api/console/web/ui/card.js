// A card is one question: a heading, its chart, and the same numbers as a table.
import { html, useState, useId } from '../vendor/view.js'
import { command } from '../lib/api.js'
import { place, turn, turnedOn } from '../lib/place.js'
import { icon } from './icon.js'
import { since } from './use.js'

export function Card({ title, note, of, empty, table, csv = table, kind = '', tools, children }) {
  const name = title.toLowerCase().replace(/\W+/g, '-'), asTable = !!table && turnedOn('table', name)
  const [asked, show] = useState(false)
  const id = useId(), notes = [note, since(of)].filter(Boolean)
  const { data, error, stale } = of ?? { data: true }
  let body
  if (!data && error) {
    body = html`<div class="say" role="alert"><strong>No answer</strong><span>${error.message}</span><span class="dim">Trying again …</span></div>`
  } else if (!data) {
    body = html`<div class="ghost" aria-hidden="true"><i></i><i></i><i></i><i></i></div><span class="hide" role="status">Loading ${title}</span>`
  } else if (empty) {
    body = html`<div class="say"><strong>Nothing here yet</strong><span>${empty}</span></div>`
  } else body = asTable ? html`<${Table} ...${table} caption=${title} />` : children
  return html`<section class="card ${kind}" aria-labelledby=${id} data-stale=${stale || (data && error) ? 'yes' : undefined}>
    <header><h2 id=${id}>${title}</h2>${notes.length > 0 && html`<span class="note">${notes.map((n, i) => [i > 0 && ' · ', n])}</span>`}
      <span class="tools">${tools}
      ${table && data && !empty && html`<button class="tool" data-key="t" aria-pressed=${asTable} title=${asTable ? 'Show as chart' : 'Show as table'} onClick=${() => turn('table', name)}>${icon(asTable ? 'chart' : 'table')}<span class="hide">${title} as a table</span></button>`}
      ${csv && data && !empty && html`<button class="tool" title="Download as CSV" onClick=${() => save(title, csv)}>${icon('down')}<span class="hide">Download ${title} as CSV</span></button>`}
      ${of?.question && html`<button class="tool" aria-expanded=${asked} title="Show the call" onClick=${() => show(!asked)}>${icon('code')}<span class="hide">${title} as a call of the API</span></button>`}
      </span></header>
    ${asked && html`<${Call} of=${of.question} />`}
    <div class="body">${body}</div></section>`
}

// Call is the question of a card as a developer asks it, and what the last answer said beside its numbers.
function Call({ of }) {
  const [copied, note] = useState(false)
  const text = command(of.path, of.params), said = of.said
  const copy = async () => { await navigator.clipboard.writeText(text); note(true) }
  return html`<div class="call"><pre tabindex="0">${text}</pre>
    <p class="dim">${said && [`${said.status} after ${said.took} ms`, said.lag && `${said.lag} ms behind the log`, said.range, said.warning].filter(Boolean).join(' · ')}
    <button class="plain" onClick=${copy}>${copied ? 'Copied' : 'Copy'}</button></p></div>`
}

export function Table({ head, rows, caption }) {
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${caption + ', table'}><table>
    <caption class="hide">${caption}</caption>
    <thead><tr>${head.map((h, i) => html`<th scope="col" class=${number(rows, i) ? 'num' : ''}>${h}</th>`)}</tr></thead>
    <tbody>${rows.map((r) => html`<tr>${r.map((c, i) => i === 0 ? html`<th scope="row">${c}</th>` : html`<td class=${typeof c === 'number' ? 'num' : ''}>${typeof c === 'number' ? c.toLocaleString('en') : c}</td>`)}</tr>`)}</tbody></table></div>`
}

const number = (rows, i) => typeof rows[0]?.[i] === 'number'

// save writes a table to a file: the filters are in it because the rows are. A text that
// a spreadsheet would run as a formula is given an apostrophe.
export function save(title, { head, rows }) {
  const cell = (c) => {
    let s = String(c ?? '')
    if (typeof c === 'string' && /^[=+\-@\t\r]/.test(s)) s = "'" + s
    return /[",\n]/.test(s) ? '"' + s.replaceAll('"', '""') + '"' : s
  }
  const text = [head, ...rows].map((r) => r.map(cell).join(',')).join('\r\n')
  const a = document.createElement('a')
  a.href = URL.createObjectURL(new Blob(['\ufeff' + text], { type: 'text/csv' }))
  const p = place.value, filters = Object.entries(p.filters).filter(([, v]) => v).map(([k, v]) => k + '-' + v)
  a.download = [title, ...p.path.split('/').filter(Boolean), p.dates ? p.dates.from + '-to-' + p.dates.to : p.days + '-days', ...filters].join('-').toLowerCase().replace(/[^\w-]+/g, '-') + '.csv'
  a.click()
  setTimeout(() => URL.revokeObjectURL(a.href), 1000)
}
