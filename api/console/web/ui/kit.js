// Small pieces that pages share.
import { html, useEffect, useRef, useState } from '../vendor/view.js'
import { icon } from './icon.js'
import { useAnswer } from './use.js'
import { Spark } from '../charts/spark.js'
import { compact, count } from '../lib/format.js'
import { place, go, href } from '../lib/place.js'

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

// Figure is one number: what it is, how it changed, how it went.
export function Figure({ label, value, before, line, help, of }) {
  const up = before ? 100 * (value - before) / before : null
  return html`<div class="figure" data-stale=${of?.stale ? 'yes' : undefined}>
    <span class="what" title=${help}>${label}</span>
    ${value == null ? html`<span class="ghost one"><i></i></span>` : html`<span class="amount" title=${count(value)}>${Number.isInteger(value) ? compact(value) : value.toFixed(1)}</span>`}
    ${up !== null && value != null ? html`<span class="change ${up > 0.5 ? 'up' : up < -0.5 ? 'fall' : ''}" title=${'before: ' + (Number.isInteger(before) ? count(before) : before.toFixed(1))}>${up > 0.5 ? '▲' : up < -0.5 ? '▼' : '■'} ${Math.abs(up) >= 1000 ? '>999' : Math.abs(up).toFixed(Math.abs(up) < 10 ? 1 : 0)} %<span class="hide"> against the period before</span></span>` : html`<span class="change"> </span>`}
    ${line && html`<${Spark} values=${line} />`}</div>`
}

const spans = [[7, '7 days'], [28, '28 days'], [90, '90 days'], [180, '180 days'], [365, '12 months']]

export function Range() {
  return html`<div class="range" role="radiogroup" aria-label="Range, days in UTC">
    ${spans.map(([n, words]) => html`<button role="radio" aria-checked=${place.value.days === n} onClick=${() => go({ days: n })}><span class="long">${words}</span><span class="brief">${n === 365 ? '1y' : n + 'd'}</span></button>`)}</div>`
}

// Switch is the way from brand to brand: a field that searches.
export function Switch({ brand }) {
  const [open, show] = useState(false), [text, set] = useState(''), [at, move] = useState(0)
  const box = useRef()
  const { data } = useAnswer('/v1.1/brands', { limit: 12, keyword: text || undefined }, 60_000)
  const items = data?.items ?? []
  useEffect(() => {
    if (!open) return
    const away = (e) => { if (!box.current.contains(e.target)) show(false) }
    document.addEventListener('pointerdown', away)
    return () => document.removeEventListener('pointerdown', away)
  }, [open])
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
