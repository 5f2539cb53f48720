// The world, coloured by members. Outlines are made beforehand (vendor/world.json): nothing is
// projected in the browser. Countries too small for an outline are dots.
import { html, signal, useState } from '../vendor/view.js'
import { count, country } from '../lib/format.js'

const world = signal(null)
let asked
const load = () => (asked ??= fetch(new URL('../vendor/world.json', import.meta.url)).then((r) => r.json()).then((w) => { world.value = w }))

// rows is [{code, members, actions}]; chosen is the filter.
export function WorldMap({ rows, chosen, onPick }) {
  load()
  const [over, point] = useState(null)
  const w = world.value
  if (!w) return html`<div class="map"></div>`
  const by = new Map(rows.map((r) => [r.code, r]))
  const most = Math.max(1, ...rows.map((r) => r.members))
  // five steps, by the square root: the largest country does not make all others pale
  const step = (r) => (r ? 'q' + Math.min(5, 1 + Math.floor(5 * Math.sqrt(r.members / most) * 0.999)) : 'q0')
  const names = (code) => `${step(by.get(code))}${chosen(code) ? ' on' : ''}${by.has(code) ? ' has' : ''}`
  const at = (code) => ({ onPointerEnter: () => point(code), onClick: () => by.has(code) && onPick(code) })
  const shown = over && by.get(over)
  return html`<div class="map" onPointerLeave=${() => point(null)}><svg viewBox="0 0 ${w.width} ${w.height}" aria-hidden="true">
      <path class="q0" d=${w.rest} />
      ${Object.entries(w.countries).map(([code, d]) => html`<path key=${code} class=${names(code)} d=${d} ...${at(code)} />`)}
      ${Object.entries(w.dots).filter(([code]) => by.has(code)).map(([code, [x, y]]) => html`<circle key=${code} class=${names(code)} cx=${x} cy=${y} r="5" ...${at(code)} />`)}
    </svg>
    <p class="under">${over ? html`<strong>${country(over)}</strong> ${shown ? `${count(shown.members)} members · ${count(shown.actions)} activities` : 'no activity'}` : html`<span class="dim">fewer</span><i class="q1"></i><i class="q2"></i><i class="q3"></i><i class="q4"></i><i class="q5"></i><span class="dim">more members</span>`}</p></div>`
}
