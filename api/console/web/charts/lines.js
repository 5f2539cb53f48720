// Lines by day, one a name, on one axis.
import { html } from '../vendor/view.js'
import { useWidth } from '../ui/use.js'
import { compact, day } from '../lib/format.js'
import { ticks } from './scale.js'
import { Mark } from './mark.js'

const top = 10, bottom = 24, left = 44, right = 8

// indexed draws each line as if its first day were 100.
export function Lines({ days, lines, height = 260, indexed }) {
  const [ref, width] = useWidth()
  const n = Math.max(1, days.length - 1), inner = Math.max(0, width - left - right), tall = height - top - bottom
  const of = lines.map((l) => { const base = l.values.find((v) => v > 0) ?? 1; return { ...l, values: indexed ? l.values.map((v) => 100 * v / base) : l.values } })
  const marks = ticks(Math.max(1, ...of.flatMap((l) => l.values)), 4), most = marks.at(-1)
  const x = (i) => left + inner * i / n, y = (v) => top + tall * (1 - v / most)
  const every = Math.max(1, Math.ceil(days.length * 62 / Math.max(1, inner)))
  return html`<div class="plot" ref=${ref} role="img" aria-label="Lines of ${lines.map((l) => l.name).join(', ')} over ${days.length} days. The table has the same numbers.">
    ${width > 0 && html`<svg width=${width} height=${height} aria-hidden="true">
      ${marks.map((v) => html`<g class="grid"><line x1=${left} x2=${width - right} y1=${y(v)} y2=${y(v)} /><text x=${left - 8} y=${y(v) + 4}>${compact(v)}</text></g>`)}
      ${of.map((l, k) => l.values.length > 0 && html`<path class=${'compared c' + k} d=${'M' + l.values.map((v, i) => x(i).toFixed(1) + ' ' + y(v).toFixed(1)).join('L')} />`)}
      ${days.map((t, i) => (days.length - 1 - i) % every === Math.floor(every / 2) && html`<text class="day" x=${x(i)} y=${height - 6}>${day(t)}</text>`)}
      <${Mark} days=${days} x=${x} top=${top} height=${tall} />
    </svg>`}
    <ul class="legend">${lines.map((l, k) => html`<li><span><i class=${'dot k' + k}></i>${l.name}</span></li>`)}</ul></div>`
}
