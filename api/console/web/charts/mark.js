// The day that the reader marked, as that of a release, in each chart by day.
import { html } from '../vendor/view.js'
import { date, place, zoom } from '../lib/place.js'
import { day } from '../lib/format.js'

export function Mark({ days, x, top, height }) {
  const i = days.findIndex((t) => date(t) === place.value.view.mark)
  if (i < 0) return null
  return html`<g class="marked"><line x1=${x(i)} x2=${x(i)} y1=${top} y2=${top + height} /><text x=${x(i)} y=${top} text-anchor=${i > days.length / 2 ? 'end' : 'start'} dx=${i > days.length / 2 ? -5 : 5} dy="9">${day(days[i])}</text></g>`
}

// Since makes the days from the marked one on the range, so that changes are against as many days before it.
export function Since() {
  const { view, dates } = place.value, t = Date.parse(view.mark)
  return t < Date.now() && dates?.from !== view.mark && html`<button class="plain" onClick=${() => zoom(t, Date.now())}>Since ${day(t)}</button>`
}
