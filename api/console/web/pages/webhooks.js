// The addresses that events are sent to, and what became of the messages.
import { html, useState } from '../vendor/view.js'
import { useAnswer } from '../ui/use.js'
import { Card } from '../ui/card.js'
import { Confirm, Field, useCommand } from '../ui/form.js'
import { parse, ago } from '../lib/format.js'
import { refresh } from '../lib/api.js'

const words = { receiver: 'takes nothing', disabled: 'disabled after 5 days', gone: 'answered 410', filters: 'its filters find nothing' }

const choices = [
  ['activity', 'Activities'], ['activity,removed,erased', 'Activities, and what is taken back'],
  ['activity,removed,erased,merged,unmerged', 'The same, and who is merged and parted'], ['enter,leave', 'Who comes onto a segment’s list, and who leaves it'],
]

export function Webhooks() {
  const list = useAnswer('/v1.1/webhooks', { limit: 100 }, 10_000)
  const items = list.data?.items ?? []
  const [open, show] = useState(null), [secret, reveal] = useState(null), [url, set] = useState(''), [deletes, ask] = useState(null)
  const [events, choose] = useState('activity'), [segment, of] = useState(''), ofList = events === 'enter,leave'
  const segments = useAnswer(ofList && '/v1.1/segments', { limit: 1000 })
  const { busy, failed, run } = useCommand()
  const done = () => refresh('/v1.1/webhooks')
  return html`<div class="page"><div class="title"><div><h1>Webhooks</h1><p class="dim">What fans do is sent to these addresses as it becomes visible</p></div></div>
    <div class="cards two"><${Card} title="Webhooks" kind="whole low" of=${list} empty=${list.data && !items.length && 'No webhook yet.'}>
      <table class="list"><thead><tr><th scope="col">Address</th><th scope="col">State</th><th scope="col"><span class="hide">Actions</span></th></tr></thead>
        <tbody>${items.map((w) => html`<tr key=${w.ID}><th scope="row"><button class="plain" aria-expanded=${open === w.ID} onClick=${() => show(open === w.ID ? null : w.ID)}>${w.URL}</button><small>${w.Events.join(', ')}${w.SegmentID && ' of segment ' + w.SegmentID}</small></th>
          <td class=${w.Failing ? 'bad' : 'good'}>${w.Failing ? words[w.Failing.Reason] ?? w.Failing.Reason : w.Enabled ? 'in order' : 'off'}${w.Failing?.Since && html` <span class="dim">since ${ago(parse(w.Failing.Since))}</span>`}</td>
          <td class="num"><button class="plain" onClick=${() => run(`/v1.1/webhook/${w.ID}/edit`, { enabled: w.Enabled ? 0 : 1 }, done)}>${w.Enabled ? 'Turn off' : 'Turn on'}</button>
            <button class="plain" onClick=${() => run(`/v1.1/webhook/${w.ID}/edit`, { rotate: 1 }, (a) => { reveal(a.Secret); done() })}>New secret</button>
            <button class="plain bad" onClick=${() => ask(w)}>Delete</button></td></tr>`)}</tbody></table>
      ${secret && html`<p class="secret" role="status">Secret, shown this once: <code>${secret}</code> <button class="plain" onClick=${() => { navigator.clipboard.writeText(secret) }}>Copy</button></p>`}
      <p role="alert">${failed}</p><//>
    <${Card} title="New webhook"><form class="form" onSubmit=${(e) => { e.preventDefault(); run('/v1.1/webhook/create', { url, events, ...(ofList && { segment }) }, (a) => { reveal(a.Secret); set(''); done() }) }}>
      <${Field} label="Address" type="url" pattern="https:\\/{2}.+" placeholder="https://…" value=${url} onChange=${set} required hint="https, with a certificate of a public authority" />
      <${Field} label="What is sent" value=${events} onChange=${choose} options=${choices} />
      ${ofList && html`<${Field} label="Segment" value=${segment} onChange=${of} required options=${[['', 'Choose one …'], ...(segments.data?.items ?? []).map((s) => [s.ID, s.Name])]} />`}
      <div class="acts"><button class="act" disabled=${busy}>Create</button></div></form><//>
    ${open && html`<${Deliveries} id=${open} />`}</div>
    ${deletes && html`<${Confirm} title="Delete this webhook?" word=${'delete ' + deletes.ID} act="Delete" busy=${busy} failed=${failed} onClose=${() => ask(null)}
      onAct=${() => run(`/v1.1/webhook/${deletes.ID}/delete`, {}, () => { ask(null); done() })}><p>${deletes.URL} gets nothing any more. What waits for it is gone.</p><//>`}</div>`
}

// Deliveries are the messages of a webhook.
function Deliveries({ id }) {
  const list = useAnswer(`/v1.1/webhook/${id}/deliveries`, { limit: 100 }, 10_000)
  const items = list.data?.items ?? []
  const { busy, failed, run } = useCommand()
  return html`<${Card} title="Messages" kind="wide" of=${list} empty=${list.data && !items.length && 'No message yet.'}>
    <table class="list"><thead><tr><th scope="col">Message</th><th scope="col">Status</th><th scope="col" class="num">Tries</th><th scope="col">Last try</th><th scope="col">Next try</th><th scope="col"></th></tr></thead>
      <tbody>${items.map((d) => html`<tr key=${d.ID}><th scope="row">${d.ID}</th><td class=${d.GivenUp ? 'bad' : ''}>${d.Status ?? 'waits'}${d.GivenUp && ', given up'}</td><td class="num">${d.Attempts}</td><td>${d.LastTry ?? ''}</td><td>${d.NextTry ?? ''}</td>
        <td><button class="plain" disabled=${busy} onClick=${() => run(`/v1.1/webhook/${id}/redeliver`, { id: d.ID }, () => refresh(`/v1.1/webhook/${id}/deliveries`))}>Send again</button></td></tr>`)}</tbody></table><p role="alert">${failed}</p><//>`
}
