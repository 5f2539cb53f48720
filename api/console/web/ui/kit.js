// Small pieces that pages share.
import { html, useState } from '../vendor/view.js'
import { icon } from './icon.js'
import { since, useAnswer, useOpen } from './use.js'
import { Spark } from '../charts/spark.js'
import { DAY, compact, count, day } from '../lib/format.js'
import { place, date, go, href, zoom } from '../lib/place.js'
import { Field } from './form.js'

// Mark stands for a brand without a picture: its initials on a colour of its own.
export function Mark({ name, id, size = '' }) {
  const letters = name.split(/\s+/).filter((w) => !/^the$/i.test(w)).slice(0, 2).map((w) => w[0]).join('').toUpperCase()
  return html`<span class="mark ${size} h${id % 8}" aria-hidden="true">${letters}</span>`
}

// nameOf is how a member is called.
export const nameOf = (m) => [m.FirstName, m.Surname].filter(Boolean).join(' ') || m.Username || 'Member ' + m.ID

// Picture is the server's drawing of a member. A picture of another host is not loaded.
export function Picture({ of, size = '28' }) {
  return html`<img class="picture" src=${`/avatar/${of.ID}.svg`} alt="" width=${size} height=${size} loading="lazy" />`
}

// Figure is one number, or a word for it: what it is, how it changed, how it went.
export function Figure(shown) {
  const { label, value, before, line, help, of } = shown
  const up = before ? 100 * (value - before) / before : null
  return html`<div class="figure" data-stale=${of?.stale ? 'yes' : undefined}>
    <span class="what" title=${help}>${[label, since(of)].filter(Boolean).join(' · ')}</span>
    ${value == null ? html`<span class="ghost one"><i></i></span>` : html`<span class="amount" title=${value.toLocaleString('en')}>${typeof value === 'string' ? value : Number.isInteger(value) ? compact(value) : value.toFixed(1)}</span>`}
    ${up !== null && value != null ? html`<span class="change ${up > 0.5 ? 'up' : up < -0.5 ? 'fall' : ''}" title=${'before: ' + (Number.isInteger(before) ? count(before) : before.toFixed(1))}>${up > 0.5 ? '▲' : up < -0.5 ? '▼' : '■'} ${Math.abs(up) >= 1000 ? '>999' : Math.abs(up).toFixed(Math.abs(up) < 10 ? 1 : 0)} %<span class="hide"> against the period before</span></span>` : html`<span class="change"> </span>`}
    ${'line' in shown && (line ? html`<${Spark} values=${line} />` : html`<i class="spark"></i>`)}</div>`
}

const spans = [[7, '7 days'], [28, '28 days'], [90, '90 days'], [180, '180 days'], [365, '12 months']]

export function Range() {
  const { days, dates } = place.value
  return html`<div class="ranges"><div class="range" role="radiogroup" aria-label="Range, days in UTC">
    ${spans.map(([n, words]) => html`<button role="radio" aria-checked=${!dates && days === n} onClick=${() => go({ days: n, dates: null })}><span class="long">${words}</span><span class="brief">${n === 365 ? '1y' : n + 'd'}</span></button>`)}</div><${Dates} /></div>`
}

// Dates is a range from one UTC day to another.
function Dates() {
  const { dates } = place.value, today = date(Date.now())
  const [open, show, box] = useOpen(), [from, begin] = useState(''), [to, finish] = useState('')
  const ask = () => { begin(dates?.from ?? date(Date.now() - 27 * DAY)); finish(dates?.to ?? today); show(!open) }
  const use = (e) => { e.preventDefault(); if (from && to) { const [a, b] = [from, to].sort(); zoom(Date.parse(a), Date.parse(b)); show(false) } }
  return html`<div class="add dates" ref=${box} onKeyDown=${(e) => { if (e.key === 'Escape') show(false) }}><button class="plain" aria-expanded=${open} aria-pressed=${!!dates} onClick=${ask}>${dates ? `${day(Date.parse(dates.from))} – ${day(Date.parse(dates.to))}` : 'Dates'}</button>
    ${open && html`<form class="pop form" onSubmit=${use}><${Field} label="First day (UTC)" type="date" max=${today} value=${from} onChange=${begin} /><${Field} label="Last day" type="date" max=${today} value=${to} onChange=${finish} />
      <div class="acts"><button class="act" disabled=${!from || !to}>Show</button></div></form>`}</div>`
}

// Switch is the way from brand to brand: a field that searches.
export function Switch({ brand }) {
  const [open, show, box] = useOpen(), [text, set] = useState(''), [at, move] = useState(0)
  const { data } = useAnswer('/v1.1/brands', { limit: 12, keyword: text || undefined }, 60_000)
  const items = data?.items ?? []
  const pick = (b) => { show(false); set(''); history.pushState(null, '', href({ path: '/brand/' + b.ID })); dispatchEvent(new PopStateEvent('popstate')) }
  const keys = (e) => {
    if (e.key === 'ArrowDown') { e.preventDefault(); show(true); move(Math.min(items.length - 1, at + 1)) }
    if (e.key === 'ArrowUp') { e.preventDefault(); move(Math.max(0, at - 1)) }
    if (e.key === 'Enter' && items[at]) pick(items[at])
    if (e.key === 'Escape') { show(false); e.target.blur() }
  }
  return html`<div class="switch" ref=${box}>${icon('search')}
    <input id="find" type="search" role="combobox" aria-expanded=${open} aria-controls="found" aria-autocomplete="list" aria-label="Find a brand" autocomplete="off"
      placeholder="Find a brand" value=${text} onFocus=${() => show(true)} onInput=${(e) => { set(e.target.value); move(0); show(true) }} onKeyDown=${keys} /><kbd>/</kbd>
    ${open && html`<ul id="found" role="listbox" aria-label="Brands">${items.map((b, i) => html`<li role="option" key=${b.ID} aria-selected=${i === at} onPointerEnter=${() => move(i)} onClick=${() => pick(b)}><${Mark} name=${b.Name} id=${b.ID} size="s" /><span class="cut">${b.Name}</span><span class="dim">${b.Type}</span></li>`)}
      ${data && !items.length && html`<li class="dim" role="option" aria-disabled="true">No brand has “${text}” in its name</li>`}</ul>`}</div>`
}
