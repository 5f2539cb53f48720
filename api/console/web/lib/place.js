// Where the reader is: page, range and filters, all of it in the address, so that a link shows
// what its sender saw.
import { signal, computed } from '../vendor/view.js'
import { DAY, midnight, moment } from './format.js'

// How a page is shown is no filter: which cards are tables, which page of a list, in which order.
const shown = ['table', 'skip', 'order', 'latest', 'brands', 'scale', 'mark', 'where']

// ranged are the parameters of the range: so many days up to now, or from one date to another.
const ranged = ['days', 'from', 'to']

export const place = signal(read())
const minute = signal(now())
setInterval(() => { minute.value = now() }, 5000)

function now() { return Math.floor(Date.now() / 60_000) * 60_000 }

function read() {
  const q = new URLSearchParams(location.search)
  const part = (of) => Object.fromEntries([...q].filter(([k]) => !ranged.includes(k) && shown.includes(k) === of))
  const [from, to] = [q.get('from'), q.get('to')].map((d) => (Number.isNaN(Date.parse(d + 'T00:00Z')) ? null : d))
  return { path: location.pathname, days: Number(q.get('days')) || 90, dates: from && to && from <= to ? { from, to } : null, filters: part(false), view: part(true) }
}

addEventListener('popstate', () => { place.value = read() })

export function href(change = {}) {
  const p = { ...place.value, ...change }
  const q = new URLSearchParams()
  if (p.dates) { q.set('from', p.dates.from); q.set('to', p.dates.to) }
  else if (p.days !== 90) q.set('days', p.days)
  for (const [k, v] of Object.entries({ ...p.filters, ...p.view })) if (v) q.set(k, v)
  const text = q.toString()
  return p.path + (text ? '?' + text : '')
}

export function go(change, replace = false) {
  history[replace ? 'replaceState' : 'pushState'](null, '', href(change))
  place.value = read()
}

// Links within the console change the address without loading the page anew.
document.addEventListener('click', (e) => {
  const a = e.target.closest?.('a[href^="/"]')
  if (!a || e.defaultPrevented || e.button || e.metaKey || e.ctrlKey || e.shiftKey || a.target || a.download) return
  e.preventDefault()
  history.pushState(null, '', a.getAttribute('href'))
  place.value = read()
  scrollTo(0, 0)
})

// toggle puts a value into a filter, or takes it out; a list begins again.
export function toggle(filter, value) { go({ filters: turned(place.value.filters, filter, value), view: { ...place.value.view, skip: '' } }) }

// turn does the same with how the page is shown.
export function turn(name, value) { go({ view: turned(place.value.view, name, value) }, true) }

function turned(all, name, value) {
  const had = listed(all, name)
  return { ...all, [name]: (had.includes(String(value)) ? had.filter((x) => x !== String(value)) : [...had, String(value)]).join(',') }
}

const listed = (all, name) => (all[name] ?? '').split(',').filter(Boolean)
export const has = (filter, value) => listed(place.value.filters, filter).includes(String(value))
export const turnedOn = (name, value) => listed(place.value.view, name).includes(String(value))

// set changes filters and how the page is shown.
export const set = (filters, view = {}, replace) => go({ filters: { ...place.value.filters, ...filters }, view: { ...place.value.view, skip: '', ...view } }, replace)

// zoom makes the range that of some days, both included.
export const zoom = (from, to) => go({ dates: { from: date(from), to: date(to) } })

// mark puts a line at a day of the charts, or takes it away.
export const mark = (t) => go({ view: { ...place.value.view, mark: place.value.view.mark === date(t) ? '' : date(t) } }, true)
export const date = (t) => moment(t).slice(0, 10)
const start = (d) => Date.parse(d + 'T00:00Z')

// A range of days up to now has no end, so that the same question is asked, and polled, all day. before is the range
// of the same length ahead of it, up to the same minute.
const first = () => (place.value.dates ? start(place.value.dates.from) : midnight(minute.value) - (place.value.days - 1) * DAY)
const end = () => (place.value.dates ? start(place.value.dates.to) + DAY : midnight(minute.value) + DAY)
const length = () => end() - first()
export const range = computed(() => ({ start_date: moment(first()), end_date: place.value.dates ? moment(end()) : undefined }))
export const before = computed(() => ({ start_date: moment(first() - length()), end_date: moment(Math.min(end(), minute.value + 60_000) - length()) }))

// lately is where the last days of the range begin, in which who is lapsed did nothing; null: the range has no day before.
export const unseen = 28
export const lately = computed(() => { const t = end() - unseen * DAY; return t > first() ? moment(t) : null })

// unfinished is whether the last day of the range goes on.
export const unfinished = computed(() => end() > minute.value)
