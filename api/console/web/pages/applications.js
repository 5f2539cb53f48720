// Who may ask: accounts, their applications, plans, limits, addresses and keys. At the admin port, for operators.
import { html, useState } from '../vendor/view.js'
import { useAnswer } from '../ui/use.js'
import { Card } from '../ui/card.js'
import { Ask, Copy, Field, Once, useCommand } from '../ui/form.js'
import { refresh } from '../lib/api.js'
import { href, place } from '../lib/place.js'
import { count, day, past } from '../lib/format.js'

const plans = ['standard', 'advanced', 'enterprise'].map((p) => [p, p])
const scopes = [['application', 'application: all operations'], ['public', 'public: for pages in browsers'], ['global', 'global: reads all of the account']]
const again = () => ['/applications', '/accounts', '/keys'].forEach(refresh)

export function Applications() {
  const of = useAnswer('/applications', {}, 60_000), accounts = useAnswer('/accounts', {}, 60_000), keys = useAnswer('/keys', {}, 60_000)
  const items = of.data?.items ?? [], chosen = items.find((a) => String(a.application.id) === place.value.filters.application) ?? items[0]
  const [form, set] = useState({ account: '', name: '', plan: 'standard' }), [made, show] = useState(null), [asks, ask] = useState(null)
  const { busy, failed, run } = useCommand()
  const change = (name) => (value) => set({ ...form, [name]: value })
  const inForce = (a) => (keys.data?.items ?? []).filter((k) => k.application.id === a.application.id && !k.revoked).length
  const account = chosen && accounts.data?.items.find((a) => a.account.id === chosen.account.id)
  return html`<div class="page"><div class="title"><div><h1>Applications</h1><p class="dim">Who may ask, how much, and with which keys</p></div></div>
    <div class="cards two"><${Card} title="Applications" of=${of} empty=${of.data && !items.length && 'No application yet. Make one here, with its account.'} csv=${{ head: ['Application', 'Id', 'Account', 'Plan', 'Keys'], rows: items.map((a) => [a.application.name, String(a.application.id), a.account.name, a.application.plan, inForce(a)]) }}>
        <table class="list"><thead><tr><th scope="col">Application</th><th scope="col">Plan</th><th scope="col" class="num">Keys</th></tr></thead>
          <tbody>${items.map((a) => html`<tr key=${a.application.id}><th scope="row"><a href=${href({ filters: { application: String(a.application.id) } })} aria-current=${a === chosen ? 'true' : undefined}><span>${a.application.name}<small>${a.account.name}</small></span></a></th><td>${a.application.plan}</td><td class="num">${count(inForce(a))}</td></tr>`)}</tbody></table><//>
      ${chosen && html`<${Keys} key=${'k' + chosen.application.id} app=${chosen} of=${keys} ask=${ask} /><${Limits} key=${'l' + chosen.application.id + account?.plan} app=${chosen} of=${accounts} account=${account} ask=${ask} /><${Addresses} key=${'a' + chosen.application.id} app=${chosen} of=${of} />`}
      <${Card} title="New application"><form class="form" onSubmit=${(e) => { e.preventDefault(); run('/applications', form, (a) => { show(a); again() }) }}>
        <${Field} label="Account" value=${form.account} onChange=${change('account')} required hint="by its name; one that there is none of is made" />
        <${Field} label="Name" value=${form.name} onChange=${change('name')} required />
        <${Field} label="Plan" value=${form.plan} onChange=${change('plan')} options=${plans} />
        <div class="acts"><button class="act" disabled=${busy}>Create</button></div></form><p role="alert">${failed}</p>
        ${made && html`<${Key} of=${made} />`}<//></div>
    <${Ask} key=${asks?.title} of=${asks} onClose=${() => ask(null)} /></div>`
}

// Key is a new key, and a first question that is asked with it.
function Key({ of }) {
  const first = `curl -s -H 'X-API-Key: ${of.key}' '${of.api}/v1.1/brands'`
  return html`<${Once} title="Key" text=${of.key} /><pre class="code" tabindex="0" aria-label="A first question">${first}</pre><p><${Copy} text=${first} /></p>`
}

function Keys({ app, of, ask }) {
  const items = (of.data?.items ?? []).filter((k) => k.application.id === app.application.id).sort((a, b) => (a.revoked > 0) - (b.revoked > 0) || b.id - a.id)
  const [scope, set] = useState('application'), [made, show] = useState(null)
  const { busy, failed, run } = useCommand()
  const revoke = (k) => ask({ title: `Revoke the key ${k.hint}…?`, word: k.hint || 'key ' + k.id, act: 'Revoke', path: `/keys/${k.id}/revoke`, then: again, words: 'Who asks with it is refused from now on, and nothing brings it back. Sessions that began with it end.' })
  return html`<${Card} title=${'Keys of ' + app.application.name} of=${of}>
    ${!items.length ? html`<p class="dim">No key yet.</p>` : html`<table class="list keys"><thead><tr><th scope="col">Key</th><th scope="col">Made</th><th scope="col"><span class="hide">Actions</span></th></tr></thead>
      <tbody>${items.map((k) => html`<tr key=${k.id}><th scope="row"><code>${k.hint}…</code><small>${k.scope}</small></th><td>${day(k.created)}</td><td class="num">${k.revoked ? html`<span class="dim">revoked ${past(k.revoked)}</span>` : html`<button class="plain bad" aria-label=${'Revoke ' + k.hint} onClick=${() => revoke(k)}>Revoke</button>`}</td></tr>`)}</tbody></table>`}
    <form class="form line" onSubmit=${(e) => { e.preventDefault(); run('/keys', { application: app.application.id, scope }, (k) => { show(k); again() }) }}><${Field} label="New key" value=${scope} onChange=${set} options=${scopes} /><button class="act" disabled=${busy}>Make</button></form>
    <p role="alert">${failed}</p>${made && html`<${Key} of=${made} />`}<//>`
}

function Limits({ app, of, account, ask }) {
  const own = (a) => ({ rate: a?.rate ?? '', burst: a?.burst ?? '', month: a?.month ?? '', mode: a?.mode ?? 'plan' })
  const [form, set] = useState(null), [plan, choose] = useState(app.application.plan)
  const now = form ?? own(account), change = (name) => (value) => set({ ...now, [name]: value })
  const put = (params, words) => ask({ title: `New limits of ${account.account.name}?`, word: 'limits', act: 'Save', path: `/accounts/${account.account.id}/limits`, params, words, then: () => { set(null); again() } })
  return html`<${Card} title="Plan and limits" of=${of}>
    <form class="form line" onSubmit=${(e) => { e.preventDefault(); ask({ title: `Plan ${plan} for ${app.application.name}?`, word: plan, act: 'Save', path: `/applications/${app.application.id}/plan`, params: { plan }, then: again, words: `It has the plan ${app.application.plan} now. What the plan has not, it is refused from now on.` }) }}>
      <${Field} label=${'Plan of ' + app.application.name} value=${plan} onChange=${choose} options=${plans} /><button class="act" disabled=${plan === app.application.plan}>Save</button></form>
    ${account && html`<form class="form limits" onSubmit=${(e) => { e.preventDefault(); put({ rate: Number(now.rate), burst: Number(now.burst), month: Number(now.month), mode: now.mode }, 'They hold for all keys of the account together, from now on.') }}>
      <h3>${account.account.name}, all its keys together</h3>
      <${Field} label="Requests a second" inputmode="numeric" pattern="[0-9]+" value=${now.rate} onChange=${change('rate')} required /><${Field} label="At once" inputmode="numeric" pattern="[0-9]+" value=${now.burst} onChange=${change('burst')} required />
      <${Field} label="A month, 0 without bound" inputmode="numeric" pattern="[0-9]+" value=${now.month} onChange=${change('month')} required /><${Field} label="Over the rate" value=${now.mode} onChange=${change('mode')} options=${[['hard', 'refused'], ['soft', 'served with a warning'], ['plan', 'as the plan has it']]} />
      <div class="acts"><button type="button" class="plain" onClick=${() => put({ rate: 0, burst: 0, month: 0, mode: 'plan' }, 'All limits are those of its plan again.')}>As the plan</button><button class="act" disabled=${!form}>Save</button></div></form>`}<//>`
}

function Addresses({ app, of }) {
  const all = Object.entries(app.addresses ?? {}).filter(([, v]) => v)
  const [name, choose] = useState(''), [value, set] = useState('')
  const { busy, failed, run } = useCommand()
  const save = (name, value) => run('/applications/' + app.application.id, { [name]: value }, () => { set(''); refresh('/applications') })
  return html`<${Card} title="Addresses of its pages" of=${of}>
    ${all.length ? html`<ul class="rows">${all.map(([k, v]) => html`<li key=${k}><span>${k}<small class="dim">${v}</small></span><button class="plain value" disabled=${busy} aria-label=${'Remove ' + k} onClick=${() => save(k, '')}>Remove</button></li>`)}</ul>` : html`<p class="dim">None yet.</p>`}
    <form class="form" onSubmit=${(e) => { e.preventDefault(); save(name.trim(), value.trim()) }}>
      <${Field} label="Which" value=${name} onChange=${choose} required placeholder="logout" hint="logout, widget, or login: or register: and a network, as login:spotify" />
      <${Field} label="Address" type="url" value=${value} onChange=${set} required placeholder="https://…" />
      <div class="acts"><button class="act" disabled=${busy}>Save</button></div></form><p role="alert">${failed}</p><//>`
}
