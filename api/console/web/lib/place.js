// Where the reader is: page, range and filters, all of it in the address, so that a link shows
// what its sender saw.
import { signal, computed } from '../vendor/view.js'
import { DAY, midnight, moment } from './format.js'

// How a page is shown is no filter: which cards are tables, which page of a list, in which order.
const shown = ['table', 'from', 'order', 'latest', 'brands', 'scale']

export const place = signal(read())
const minute = signal(now())
setInterval(() => { minute.value = now() }, 5000)

function now() { return Math.floor(Date.now() / 60_000) * 60_000 }

function read() {
  const q = new URLSearchParams(location.search)
  const part = (of) => Object.fromEntries([...q].filter(([k]) => k !== 'days' && shown.includes(k) === of))
  return { path: location.pathname, days: Number(q.get('days')) || 90, filters: part(false), view: part(true) }
}

addEventListener('popstate', () => { place.value = read() })

export function href(change = {}) {
  const p = { ...place.value, ...change }
  const q = new URLSearchParams()
  if (p.days !== 90) q.set('days', p.days)
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
export function toggle(filter, value) { go({ filters: turned(place.value.filters, filter, value), view: { ...place.value.view, from: '' } }) }

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
export const set = (filters, view = {}, replace) => go({ filters: { ...place.value.filters, ...filters }, view: { ...place.value.view, from: '', ...view } }, replace)

// range has no end, so that the same question is asked, and polled, all day; before is the range
// of the same length ahead of it, up to the same minute.
export const range = computed(() => ({ start_date: moment(first()) }))
export const before = computed(() => ({
  start_date: moment(first() - place.value.days * DAY), end_date: moment(minute.value + 60_000 - place.value.days * DAY),
}))
export const first = () => midnight(minute.value) - (place.value.days - 1) * DAY
