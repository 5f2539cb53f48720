// What lists share: a field that finds, and the way from page to page.
import { html, useState } from '../vendor/view.js'
import { place, href } from '../lib/place.js'
import { count } from '../lib/format.js'
import { icon } from './icon.js'

export function Find({ label, value = '', onFind, kind = 'search' }) {
  const [text, set] = useState(value)
  return html`<form class="find" role="search" onSubmit=${(e) => { e.preventDefault(); onFind(text.trim()) }}>${icon('search')}
    <input type=${kind} aria-label=${label} placeholder=${label} value=${text} onInput=${(e) => { set(e.target.value); if (!e.target.value) onFind('') }} /></form>`
}

// Pages are links, so that each opens in a tab of its own, and back works.
export function Pages({ from, size, all }) {
  if (all <= size) return null
  const to = (n) => href({ view: { ...place.value.view, skip: n || '' } })
  return html`<nav class="pages" aria-label="Pages of the list"><span class="dim">${count(from + 1)} to ${count(Math.min(all, from + size))} of ${count(all)}</span>
    ${from > 0 && html`<a class="plain" rel="prev" href=${to(Math.max(0, from - size))}>‹ before</a>`}
    ${from + size < all && html`<a class="plain" rel="next" href=${to(from + size)}>next ›</a>`}</nav>`
}
