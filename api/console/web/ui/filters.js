// Filters: chips of those in the address, and a way to add one. What a filter is called is in words of the reader, not of the API.
import { html, useState } from '../vendor/view.js'
import { useAnswer, useOpen } from './use.js'
import { icon } from './icon.js'
import { Field } from './form.js'
import { go, place, set, toggle } from '../lib/place.js'
import { country, service, services } from '../lib/format.js'

const plain = (s) => s.replace('{brand}', '…')
const codes = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

// countries are those that the browser has a name for.
const countries = () => [...codes].flatMap((a) => [...codes].map((b) => a + b)).map((c) => [c, regions.of(c)]).filter(([c, name]) => name && !/^(EU|EZ|UN|ZZ|XA|XB|QO)$/.test(c)).sort((a, b) => a[1].localeCompare(b[1]))

// kinds are the filters: the parameter, its words, and where its values come from.
const kinds = {
  country: { words: 'Country', list: countries, say: country },
  services: { words: 'Network', list: () => services.map((s) => [s, service(s)]), say: service },
  brandID: { words: 'Brand', path: '/v1.1/brands', one: '/v1.1/brand/', name: (b) => b.Name },
  activityID: { words: 'Activity', path: '/v1.1/activities', name: (a) => plain(a.Name) },
  members_from_segment: { words: 'Segment', path: '/v1.1/segments', one: '/v1.1/segment/', name: (s) => s.Name },
  domain: { words: 'Site', say: (d) => d },
  paid_only: { words: 'Paid accounts', fixed: 'Paid accounts only' },
  optedin: { words: 'Opt-in', fixed: 'Opted in' },
}

export function Chips({ names = {} }) {
  const chips = Object.entries(place.value.filters).filter(([k]) => kinds[k]).flatMap(([k, v]) => (v || '').split(',').filter(Boolean).map((x) => [k, x]))
  if (!chips.length) return null
  return html`<div class="chips"><ul aria-label="Filters">${chips.map(([k, x]) => html`<${Chip} key=${k + x} of=${k} value=${x} name=${k === 'activityID' ? names[x] : undefined} />`)}</ul>
    <button class="plain" onClick=${() => go({ filters: {} })}>Clear</button></div>`
}

function Chip({ of, value, name }) {
  const kind = kinds[of]
  const list = useAnswer(kind.one ? kind.one + value : kind.path, kind.path && !kind.one ? { limit: 200 } : {}, 600_000)
  const found = kind.one ? list.data : list.data?.items?.find((x) => String(x.ID) === value)
  const words = name ?? kind.fixed ?? (kind.say ? kind.say(value) : found ? kind.name(found) : `${kind.words} ${value}`)
  return html`<li class="chip">${words}<button onClick=${() => toggle(of, value)} aria-label=${'Remove the filter ' + words}>${icon('cross')}</button></li>`
}

// AddFilter is a button, and what opens below it. of are the parameters that the page's questions take.
export function AddFilter({ of }) {
  const [open, show, box] = useOpen(), [kind, choose] = useState(of[0]), [value, type] = useState('')
  const k = kinds[kind]
  const list = useAnswer(open && k.path, { limit: 200 }, 600_000)
  const options = k.list?.() ?? (k.path ? (list.data?.items ?? []).map((x) => [String(x.ID), k.name(x)]) : null)
  const add = (e) => {
    e.preventDefault()
    const v = k.fixed ? '1' : value
    if (!v) return
    const had = (place.value.filters[kind] ?? '').split(',').filter(Boolean)
    if (!had.includes(v)) set({ [kind]: [...had, v].join(',') })
    type(''); show(false)
  }
  return html`<div class="add" ref=${box} onKeyDown=${(e) => { if (e.key === 'Escape') show(false) }}><button class="plain" aria-expanded=${open} onClick=${() => show(!open)}>+ Filter</button>
    ${open && html`<form class="pop form" onSubmit=${add}><${Field} label="Filter by" value=${kind} onChange=${(v) => { choose(v); type('') }} options=${of.map((p) => [p, kinds[p].words])} />
      ${options ? html`<${Field} label=${k.words} value=${value} onChange=${type} options=${[['', 'Choose …'], ...options]} />` : !k.fixed && html`<${Field} label=${k.words} value=${value} onChange=${type} placeholder="shop.example" />`}
      <div class="acts"><button class="act" disabled=${!k.fixed && !value}>Add</button></div></form>`}</div>`
}
