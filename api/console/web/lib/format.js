// How numbers, days and moments are written. All days are UTC days, as the API counts them.
const whole = new Intl.NumberFormat('en')
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const dayForm = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const fullForm = new Intl.DateTimeFormat('en', { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

export const DAY = 86_400_000
export const count = (n) => whole.format(n)
export const compact = (n) => (Math.abs(n) < 10_000 ? whole.format(n) : short.format(n))
export const day = (t) => dayForm.format(t)
export const fullDay = (t) => fullForm.format(t)
export const took = (ms) => (ms < 10_000 ? count(ms) + ' ms' : Math.round(ms / 1000) + ' s')
export const size = (bytes) => { let n = bytes, i = 0; while (n >= 1000 && i < 4) { n /= 1000; i++ } return n.toFixed(n < 10 && i ? 1 : 0) + ' ' + ['B', 'kB', 'MB', 'GB', 'TB'][i] }
export const percent = (x, digits = 0) => x.toFixed(digits) + ' %'
export const moment = (t) => new Date(t).toISOString().slice(0, 19).replace('T', ' ')
export const parse = (s) => Date.parse(s.replace(' ', 'T') + 'Z')
export const midnight = (t) => Math.floor(t / DAY) * DAY

// ago is a time as a reader says it.
export function ago(t, now = Date.now()) {
  const s = Math.max(0, Math.round((now - t) / 1000))
  if (s < 5) return 'now'
  if (s < 60) return s + ' s'
  if (s < 3600) return Math.floor(s / 60) + ' min'
  if (s < 86_400) return Math.floor(s / 3600) + ' h'
  return Math.floor(s / 86_400) + ' d'
}

// past is the same with the word ago.
export const past = (t) => { const s = ago(t); return s === 'now' ? 'just now' : s + ' ago' }

// change is how much a number differs from the one before.
export function change(now, before) {
  if (!before) return null
  return 100 * (now - before) / before
}

const regions = new Intl.DisplayNames('en', { type: 'region' })
export const country = (code) => { try { return regions.of(code) } catch { return code } }

const names = { youtube: 'YouTube', lastfm: 'Last.fm', soundcloud: 'SoundCloud', beatsmusic: 'Beats Music', custom: 'Recorded' }
export const services = ['spotify', 'youtube', 'lastfm', 'deezer', 'soundcloud', 'instagram', 'facebook', 'twitter', 'google', 'tumblr', 'foursquare', 'email', 'custom']
export const service = (s) => names[s] ?? s[0].toUpperCase() + s.slice(1)

// web is an address of the web; null: a text is none, as of a script.
export const web = (s) => { try { const u = new URL(s); return /^https?:$/.test(u.protocol) ? u : null } catch { return null } }
