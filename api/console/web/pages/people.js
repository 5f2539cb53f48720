// Who may look: links to sign in with, and sessions. At the admin port, for operators.
import { html, useState } from '../vendor/view.js'
import { useAnswer } from '../ui/use.js'
import { Card } from '../ui/card.js'
import { Ask, Field, Once, useCommand } from '../ui/form.js'
import { refresh, send } from '../lib/api.js'
import { ago, count, moment } from '../lib/format.js'

const roles = [['analyst', 'analyst: reads, sees no e-mail addresses'], ['editor', 'editor: writes, exports, erases'], ['developer', 'developer: also webhooks'], ['operator', 'operator: these pages']]
const again = () => refresh('/console/sessions')

export function People() {
  const of = useAnswer('/console/sessions', {}, 30_000), accounts = useAnswer('/accounts', {}, 600_000), deeds = useAnswer('/console/deeds', {}, 30_000)
  const items = (of.data?.items ?? []).sort((a, b) => a.over - b.over || b.renewed - a.renewed), live = items.filter((s) => !s.over)
  const [old, showOld] = useState(false), [form, set] = useState({ name: '', role: 'analyst', account: '', invite: 'true' }), [made, show] = useState(null), [asks, ask] = useState(null)
  const { busy, failed, run } = useCommand()
  const change = (name) => (value) => set({ ...form, [name]: value })
  const operator = form.role === 'operator', account = form.account || String((!operator && accounts.data?.items[0]?.account.id) || 0)
  const make = (e) => {
    e.preventDefault()
    run('/console/links', { name: form.name, role: form.role, account: Number(account), invite: form.invite === 'true' }, show)
  }
  const called = (s) => s.name || (s.key ? `Key ${s.key}` : 'Nobody named')
  const same = (s) => live.filter((x) => x.name && x.name === s.name && x.role === s.role && x.account.id === s.account.id)
  const end = (s) => ask({ title: `End the session of ${called(s)}?`, word: 'end', act: 'End', path: '/console/sessions/end', params: { id: s.id }, then: again, words: 'The person sees the sign-in page with the next question. A new link lets the person in again.' })
  // The last of a person's sessions is ended by the form, the others before it.
  const endAll = (s) => ask({ title: `End all sessions of ${s.name}?`, word: 'end', act: 'End all', path: '/console/sessions/end', params: { id: s.id }, words: `${count(same(s).length)} sessions end.`,
    then: () => Promise.allSettled(same(s).filter((x) => x.id !== s.id).map((x) => send('/console/sessions/end', { id: x.id }))).then(again) })
  return html`<div class="page"><div class="title"><div><h1>People</h1><p class="dim">${of.data ? `${count(live.length)} signed in` : ' '}</p></div>
      <button class="plain bad right" onClick=${() => ask({ title: 'End all sessions?', word: 'end all', act: 'End all', path: '/console/sessions/end', params: { all: true }, then: again, words: 'Everybody is signed out at all nodes, you too.' })}>End all sessions</button></div>
    <div class="cards two"><${Card} title="Sessions" of=${of} empty=${of.data && !items.length && 'Nobody is signed in. Make a link.'} csv=${{ head: ['Name', 'Role', 'Account', 'Begun', 'Last seen', 'Over'], rows: items.map((s) => [s.name, s.role, s.account.name ?? '', moment(s.begun), moment(s.renewed), String(s.over)]) }}>
        <table class="list people"><thead><tr><th scope="col">Person</th><th scope="col">Last seen</th><th scope="col"><span class="hide">Actions</span></th></tr></thead>
          <tbody>${(old ? items : live).map((s) => html`<tr key=${s.id}><th scope="row">${called(s)}<small>${[s.role, s.account.name].filter(Boolean).join(' · ')}</small></th>
            <td title=${'noted at most a day after it; signed in ' + moment(s.begun) + ' UTC'}>${ago(s.renewed)}</td>
            <td class="num">${s.over ? html`<span class="dim">over</span>` : html`<button class="plain bad" aria-label=${'End the session of ' + called(s)} onClick=${() => end(s)}>End</button>${same(s).length > 1 && html` <button class="plain bad" aria-label=${`End all ${same(s).length} sessions of ${s.name}`} onClick=${() => endAll(s)}>all ${same(s).length}</button>`}`}
              ${!s.key && html` <button class="plain" aria-label=${'Link again for ' + called(s)} onClick=${() => { set({ ...form, name: s.name, role: s.role, account: String(s.account.id || '') }); document.getElementById('who')?.focus() }}>Link again</button>`}</td></tr>`)}</tbody></table>
        ${items.length > live.length && html`<p class="more"><button class="plain" aria-pressed=${old} onClick=${() => showOld(!old)}>${old ? 'Hide' : 'Show'} ${count(items.length - live.length)} that are over</button></p>`}<//>
      <${Card} title="New link"><form class="form" onSubmit=${make}>
        <${Field} label="Name" id="who" value=${form.name} onChange=${change('name')} hint="of the person, for this list" />
        <${Field} label="Role" value=${form.role} onChange=${change('role')} options=${roles} />
        <${Field} label="Account" value=${account} onChange=${change('account')} options=${[...(operator ? [['0', 'none: these pages alone']] : []), ...(accounts.data?.items ?? []).map((a) => [String(a.account.id), a.account.name])]} />
        <${Field} label="Good for" value=${form.invite} onChange=${change('invite')} options=${[['true', '7 days'], ['false', '10 minutes']]} />
        <div class="acts"><button class="act" disabled=${busy}>Make</button></div></form><p role="alert">${failed}</p>
        ${made && html`<${Once} key=${made.link} title=${`Link for one sign-in as ${made.role}, good until ${moment(made.expires).slice(0, 16)} UTC`} text=${made.link} />`}<//>
      <${Card} title="What people changed" kind="row" of=${deeds} empty=${deeds.data && !deeds.data.items.length && 'Nobody asked for a change by the console.'} note="the last 1,000 of an account are kept, for 400 days"
      csv=${{ head: ['At (UTC)', 'Name', 'Role', 'Account', 'Did', 'Session'], rows: (deeds.data?.items ?? []).map((d) => [moment(d.at), d.name, d.role, d.account.name ?? '', d.did, d.session]) }}>
      <table class="list"><thead><tr><th scope="col">At (UTC)</th><th scope="col">Person</th><th scope="col">Asked for</th></tr></thead>
        <tbody>${(deeds.data?.items ?? []).slice(0, 100).map((d) => html`<tr key=${d.at + d.session + d.did}><td>${moment(d.at)}</td><th scope="row">${d.name || 'Nobody named'}<small>${[d.role, d.account.name].filter(Boolean).join(' · ')}</small></th><td class="wrap">${d.did}</td></tr>`)}</tbody></table><//></div>
    <${Ask} key=${asks?.title} of=${asks} onClose=${() => ask(null)} /></div>`
}
