// Dead letters: what was refused and why, what each holds, and a replay that is counted before it is done. At the admin port, for operators.
import { html, useEffect, useState } from '../vendor/view.js'
import { useAnswer } from '../ui/use.js'
import { Card } from '../ui/card.js'
import { Confirm } from '../ui/form.js'
import { Bars } from '../charts/bars.js'
import { address, get, refresh, send } from '../lib/api.js'
import { has, href, place, set, toggle } from '../lib/place.js'
import { ago, count, moment, past, size } from '../lib/format.js'

const spans = [['', 'All that are kept'], ['1h', 'The last hour'], ['24h', '24 hours'], ['72h', '3 days']]
const narrow = matchMedia('(max-width: 760px)') // has two columns of the list
const shown = 16_384 // bytes of a letter, at most

export function Letters() {
  const { reason, account, since } = place.value.filters, filter = { reason, account, since }
  const of = useAnswer('/letters', { ...filter, before: place.value.view.from }, 3_600_000), d = of.data
  const accounts = useAnswer('/accounts', {}, 600_000)
  const [chosen, choose] = useState([]), [open, show] = useState(null), [order, replay] = useState(null), [ended, tell] = useState(null)
  useEffect(() => { choose([]); show(null) }, [d])
  const items = d?.items ?? [], reasons = Object.entries(d?.reasons ?? {}).sort((a, b) => b[1] - a[1])
  const pick = (n) => choose(chosen.includes(n) ? chosen.filter((x) => x !== n) : [...chosen, n])
  const every = { all: true, reasons: reason?.split(','), account: Number(account) || undefined, since: since || undefined }
  const list = (name, value, options) => html`<select aria-label=${name} value=${value ?? ''} onChange=${(e) => set({ [name.toLowerCase()]: e.target.value })}>${options.map(([v, words]) => html`<option value=${v}>${words}</option>`)}</select>`
  const none = d && !items.length && (reason || account || since || d.more ? 'No letter passes these filters here.' : 'No record was refused in the last seven days.')
  return html`<div class="page"><div class="title"><div><h1>Dead letters</h1><p class="dim">Records that were refused, kept for seven days</p></div>
      <button class="act right" disabled=${!d?.total} onClick=${() => replay(chosen.length ? { offsets: chosen } : every)}>Replay ${chosen.length ? count(chosen.length) : 'all'} …</button></div>
    ${ended && html`<p class="secret" role="status">${done(ended)} <button class="plain" onClick=${() => tell(null)}>Close</button></p>`}
    <div class="filters">${list('Since', since, spans)}${list('Account', account, [['', 'All accounts'], ...(accounts.data?.items ?? []).map((a) => [String(a.account.id), a.account.name])])}
      ${Object.values(filter).some(Boolean) && html`<button class="plain" onClick=${() => set({ reason: '', account: '', since: '' })}>Clear</button>`}<button class="plain right" onClick=${() => refresh('/letters')}>Read again</button></div>
    <div class="cards"><${Card} title="Letters" kind="wide" of=${of} empty=${none} note=${d && `${count(d.total)} in ${d.more || place.value.view.from ? `${count(d.records)} records` : 'all'}`} csv=${{ head: ['Reason', 'Detail', 'Account', 'Source', 'Origin', 'Time', 'Id'], rows: items.map((l) => [l.reason, l.detail ?? '', String(l.account ?? ''), l.source ?? '', l.origin, l.time, l.id]) }}>
        <table class="list letters"><thead><tr><th scope="col">Letter</th><th scope="col">Time</th><th scope="col">Account</th><th scope="col">Source and origin</th></tr></thead>
          <tbody>${items.map((l) => html`<tr key=${l.offset}><th scope="row"><span class="pick"><input type="checkbox" aria-label=${'Choose the letter of ' + l.origin} checked=${chosen.includes(l.offset)} onChange=${() => pick(l.offset)} />
              <button aria-expanded=${open === l.offset} onClick=${() => show(open === l.offset ? null : l.offset)}>${l.reason}<small>${l.detail}</small>${l.replayed && html`<small>replayed ${past(Date.parse(l.replayed.time))}${l.replayed.reason && ', refused again: ' + l.replayed.reason}</small>`}</button></span></th>
            <td><time datetime=${l.time} title=${moment(Date.parse(l.time)) + ' UTC'}>${ago(Date.parse(l.time))}</time></td><td class="num">${l.account ?? ''}</td><td>${l.source}<small>${l.origin}</small></td></tr>
            ${open === l.offset && html`<tr key=${'of' + l.offset} class="inner"><td colspan=${narrow.matches ? 2 : 4}><${Letter} at=${l.offset} onReplay=${() => replay({ offsets: [l.offset] })} /></td></tr>`}`)}</tbody></table>
        ${(d?.next !== undefined || place.value.view.from) && html`<nav class="pages" aria-label="Pages of the list">${place.value.view.from && html`<a rel="first" href=${href({ view: {} })}>‹ newest</a>`}${d?.next !== undefined && html`<a rel="next" href=${href({ view: { from: d.next } })}>older ›</a>`}</nav>`}<//>
      <${Card} title="By reason" kind="brief" of=${of} empty=${none} note=${d?.oldest && `since ${moment(Date.parse(d.oldest)).slice(0, 16)} UTC`} csv=${{ head: ['Reason', 'Letters'], rows: reasons }}>
        <${Bars} unit="letters" rows=${reasons.map(([key, value]) => ({ key, label: key, value, on: has('reason', key) }))} onPick=${(key) => toggle('reason', key)} /><//></div>
    ${order && html`<${Replay} order=${order} onClose=${(run) => { replay(null); if (run) { tell(run); refresh('/letters') } }} />`}</div>`
}

// done is what a replay did, as sentences.
const done = (run) => `${count(run.replayed)} of ${count(run.chosen)} ${run.chosen === 1 ? 'letter is' : 'letters are'} published again. Those that cannot be taken now either are dead letters again within moments.`

// Letter is one letter with its bytes, as text, indented, or in hex.
function Letter({ at, onReplay }) {
  const { data: l, error } = useAnswer('/letters/' + at, {}, 3_600_000)
  const [as, show] = useState('Text')
  if (!l) return html`<p class="dim" role="status">${error ? error.message : 'Loading the letter'}</p>`
  if (!l.original) return html`<p>Its record is not in the letter: ${l.detail}.</p>`
  const bytes = Uint8Array.from(atob(l.valueBase64), (c) => c.charCodeAt(0)), head = bytes.subarray(0, shown), text = new TextDecoder().decode(head)
  const body = as === 'Hex' ? hex(head.subarray(0, 4096)) : as === 'JSON' ? marked(indented(text), l) : marked(text, l, head)
  const utf8 = (base64) => new TextDecoder().decode(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)))
  return html`<div class="letter"><p>${l.refusal ? html`<span class="bad">As it is, it would be refused again: ${l.refusal} ${l.where}.</span> Mend it by <code>ovation dlq replay ${l.id.slice(0, 8)} --from-file FILE</code>` : 'Its bytes are a record that can be read: whether it is taken is known once it is replayed.'}</p>
    <div class="choices">${['Text', 'JSON', 'Hex'].map((x) => html`<button aria-pressed=${as === x} onClick=${() => show(x)}>${x}</button>`)}<button class="plain right" onClick=${onReplay}>Replay …</button></div>
    <pre class="code ${as}" tabindex="0" aria-label=${'The record as ' + as}>${body}</pre>
    <p class="dim">${[size(bytes.length) + (bytes.length > shown ? `, of which the first ${size(shown)} are shown: ovation dlq show ${l.id.slice(0, 8)} --value` : ''), l.published > 0 && 'published ' + moment(l.published) + ' UTC', l.keyBase64 && 'key ' + utf8(l.keyBase64), ...l.headers.map((h) => h.name + ': ' + utf8(h.valueBase64)), 'id ' + l.id].filter(Boolean).join(' · ')}</p></div>`
}

// marked is a text in which what is wrong is marked: the fields that the detail names before its colon, or the byte.
function marked(text, l, bytes) {
  const said = l.where || l.detail || '', at = Number(said.match(/^at byte (\d+)/)?.[1] ?? NaN)
  if (bytes && at < bytes.length) {
    const part = (a, b) => new TextDecoder().decode(bytes.subarray(a, b))
    return html`${part(0, at)}<mark>${part(at, at + 1)}</mark>${part(at + 1)}`
  }
  const fields = said.split(':')[0].match(/\w+/g)?.filter((w) => w.length > 2) ?? []
  return fields.length ? text.split(new RegExp(`("(?:${fields.join('|')})")`)).map((x, i) => (i % 2 ? html`<mark>${x}</mark>` : x)) : text
}

// indented is JSON with lines and indents, its numbers and texts as they are. What is none stays legible.
function indented(text) {
  let out = '', deep = 0
  const line = () => '\n' + '  '.repeat(Math.max(0, deep))
  for (const t of text.match(/"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/g) ?? []) {
    if (t === '{' || t === '[') { deep++; out += t + line() } else if (t === '}' || t === ']') { deep--; out += line() + t } else out += t === ',' ? t + line() : t === ':' ? ': ' : t
  }
  return out
}

// hex is bytes by sixteen, with what can be printed beside them.
function hex(bytes) {
  const lines = []
  for (let i = 0; i < bytes.length; i += 16) {
    const row = [...bytes.subarray(i, i + 16)]
    lines.push(i.toString(16).padStart(6, '0') + '  ' + row.map((b) => b.toString(16).padStart(2, '0')).join(' ').padEnd(49) + row.map((b) => (b > 31 && b < 127 ? String.fromCharCode(b) : '.')).join(''))
  }
  return lines.join('\n')
}

// Replay counts what an order means, and publishes exactly that once it is confirmed.
function Replay({ order, onClose }) {
  const [run, note] = useState(null), [going, go] = useState('counts'), [failed, say] = useState(null)
  const work = async (params, alive = () => true) => {
    try {
      let r = await send('/letters/replay', params)
      while (alive() && r.state === 'running') {
        note(r)
        await new Promise((f) => setTimeout(f, 250))
        r = (await get(address('/letters/replay'))).body
      }
      if (r.state !== 'done') throw new Error(r.error || 'The run was cancelled')
      return r
    } catch (err) { if (alive()) { say(err.message); go('') } }
  }
  useEffect(() => {
    let shown = true
    work({ ...order, dryRun: true }, () => shown).then((r) => { if (r && shown) { note(r); go('') } })
    return () => { shown = false }
  }, [])
  const act = async () => {
    go('replays')
    const r = await work({ ...order, to: run.to, since: order.since && run.since })
    if (r) onClose(r)
  }
  const close = () => { if (going) send('/letters/replay/cancel').catch(() => {}); onClose() }
  const refused = Object.entries(run?.refused ?? {})
  return html`<${Confirm} title="Publish the records again?" word="replay" act="Replay" busy=${!!going || !run?.replayed} failed=${failed} onClose=${close} onAct=${act}>
    <p role="status">${going ? `${going === 'counts' ? 'Counting' : 'Replaying'} … ${count(run?.read ?? 0)} of ${count(run?.records ?? 0)} records read` : run && html`<strong>${count(run.replayed)} of ${count(run.chosen)}</strong> ${run.chosen === 1 ? 'letter' : 'letters'} can be published again.`}</p>
    ${!going && refused.length > 0 && html`<p class="bad">${refused.map(([word, n]) => `${count(n)} would be refused again for ${word}`).join(', ')}: the bytes have to be mended first.</p>`}
    ${!going && run?.leftAll > 0 && html`<p>${count(run.leftAll)} stay: ${run.left[0].why}${run.leftAll > 1 ? ', and the like' : ''}.</p>`}
    <p class="dim">A record that counted already, or was deleted, changes nothing. A member who registered after the refusal gets none of it.</p><//>`
}
