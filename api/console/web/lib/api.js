// Questions to the API. Each one is polled with its ETag while a page shows it: an answer that
// did not change costs the server a 304 and draws nothing.
import { signal, computed } from '../vendor/view.js'
import { headers, over } from './session.js'

// base is before the paths of the API's operations; others are the node's own.
const base = (path) => (path.startsWith('/v1.1/') ? '/console' : '')
const patience = 30_000 // then an answer comes no more
export const lag = signal(null)       // milliseconds behind the log, of the last answer
export const reached = signal(0)      // when the server answered last
export const failing = signal(null)   // why it does not

// freshness is what the pill shows.
export const freshness = computed(() => {
  if (failing.value) return { kind: 'off', words: 'Not connected' }
  if (lag.value === null) return reached.value ? { kind: 'live', words: 'Connected' } : { kind: 'wait', words: 'Connecting' } // the node's own answers say no lag
  if (lag.value > 5000) return { kind: 'late', words: `${Math.round(lag.value / 1000)} s behind` }
  return { kind: 'live', words: 'Live' }
})

export function address(path, params = {}) {
  const q = new URLSearchParams()
  for (const [k, v] of Object.entries(params)) if (v !== undefined && v !== null && v !== '') q.set(k, v)
  const text = q.toString()
  return base(path) + path + (text ? '?' + text : '')
}

// command is the question as a developer asks it.
export function command(path, params) {
  const given = Object.entries(params).filter(([, v]) => v !== undefined && v !== null && v !== '')
  const quoted = (s) => "'" + String(s).replaceAll("'", "'\\''") + "'"
  return ['curl -sG ' + quoted(location.origin + path) + (base(path) ? ' -H "X-API-Key: $OVATION_KEY"' : ''), ...given.map(([k, v]) => '--data-urlencode ' + quoted(k + '=' + v))].join(' \\\n  ')
}

// A question: signals of its answer, shared by all that ask the same.
const questions = new Map()

export function ask(path, params, every = 10_000) {
  const url = address(path, params)
  let q = questions.get(url)
  if (!q) {
    q = { url, path, params, said: null, data: signal(null), error: signal(null), at: 0, etag: null, users: 0, timer: 0, tries: 0 }
    questions.set(url, q)
  }
  q.every = every
  return q
}

export function hold(q) {
  if (q.users++ === 0) poll(q)
  return () => { if (--q.users === 0) { clearTimeout(q.timer); q.timer = 0 } }
}

async function poll(q) {
  clearTimeout(q.timer)
  let wait = q.every
  if (document.visibilityState === 'visible' || q.data.value === null) {
    const asked = performance.now()
    try {
      const r = await fetch(q.url, { headers: { ...headers(), ...(q.etag ? { 'If-None-Match': q.etag } : {}) }, cache: 'no-store', signal: AbortSignal.timeout(patience) })
      if (r.status === 401) return over()
      q.said = { status: r.status, took: Math.round(performance.now() - asked), lag: r.headers.get('x-lag-ms'), range: r.headers.get('x-range'), warning: r.headers.get('warning') }
      if (r.headers.has('x-lag-ms')) lag.value = Number(r.headers.get('x-lag-ms'))
      if (r.status !== 304) {
        const body = await r.json()
        if (!r.ok) throw Object.assign(new Error(body.detail || body.title || r.statusText), { status: r.status, after: r.headers.get('retry-after') })
        q.data.value = body
        q.etag = r.headers.get('etag')
      }
      q.at = reached.value = Date.now()
      const away = failing.value
      q.error.value = failing.value = null
      q.tries = 0
      if (away) for (const other of questions.values()) if (other.users > 0 && other.error.value) poll(other) // the server is back
    } catch (err) {
      q.error.value = err
      if (!err.status || err.status >= 500) failing.value = err
      wait = Math.max(Number(err.after) * 1000 || 0, Math.min(15_000, 3000 * 2 ** q.tries++) * (1 + Math.random() / 2))
    }
  }
  if (q.users > 0) q.timer = setTimeout(poll, wait, q)
}

document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') for (const q of questions.values()) if (q.users > 0) poll(q)
})

// refresh asks the questions of a path again, after a command of this page changed their answer.
export function refresh(path) {
  for (const q of questions.values()) if (q.users > 0 && q.path === path) poll(q)
}

// get asks an address once; what is refused for now is asked again when it may be. It gives the answer and its headers.
export async function get(url, signal) {
  for (;;) {
    const r = await fetch(url, { headers: headers(), cache: 'no-store', signal })
    if (r.status === 401) over()
    const body = await r.json()
    if (r.ok) return { body, headers: r.headers }
    if (r.status !== 429 && r.status !== 503) throw Object.assign(new Error(body.detail || body.title || r.statusText), { status: r.status })
    await new Promise((done) => { setTimeout(done, 1000 * (Number(r.headers.get('retry-after')) || 1)) })
    signal?.throwIfAborted()
  }
}

// onward is an address of the API in an answer, as the console asks it.
export const onward = (link) => { const u = new URL(link, location); return base(u.pathname) + u.pathname + u.search }

// pages reads a list from its beginning to its end.
export async function* pages(path, params, signal) {
  for (let url = address(path, params) + '&cursor='; url;) {
    const { body, headers: of } = await get(url, signal)
    yield body.items
    const next = /<([^>]*)>; *rel="?next/.exec(of.get('link') ?? '')
    url = next && onward(next[1])
  }
}

// send asks a command, and gives its answer. Those of the node itself take JSON.
export async function send(path, params = {}) {
  const given = Object.entries(params).filter(([, v]) => v !== undefined && v !== null)
  const r = await fetch(base(path) + path, {
    method: 'POST', headers: { ...headers(), 'Content-Type': base(path) ? 'application/x-www-form-urlencoded' : 'application/json', 'Idempotency-Key': crypto.randomUUID() },
    body: base(path) ? new URLSearchParams(given) : JSON.stringify(Object.fromEntries(given)),
  })
  if (r.status === 401) over()
  const body = await r.json().catch(() => ({}))
  if (!r.ok) throw Object.assign(new Error(body.detail || body.title || r.statusText), { status: r.status, code: body.code })
  return body
}

// follow calls f with every action as it becomes visible, and gone with what is taken back (the ID of an action, or the MemberID
// of a member who is erased), until the returned function is called. A page that is not seen
// has no stream: over HTTP/1.1 a browser has six connections to a server for all its tabs. It is read by fetch and not by
// EventSource, which sends no header and says nothing of a status.
export function follow(params, f, gone, state) {
  let stop, last, tries = 0, closed = false
  const quiet = 60_000 // the server sends a comment every 15 s
  async function read() {
    const ends = new AbortController()
    stop = ends
    let alarm
    const alive = () => { clearTimeout(alarm); alarm = setTimeout(() => ends.abort(), quiet) }
    let wait = 0
    try {
      alive()
      const r = await fetch(address('/v1.1/activity/feed/stream', { ...params, cursor: last }), { headers: headers(), signal: ends.signal, cache: 'no-store' })
      if (r.status === 401) return over()
      if (!r.ok) {
        const body = await r.json().catch(() => ({}))
        if (body.code === 4) last = undefined // the cursor is of a stream that ended: it begins again
        wait = 1000 * Number(r.headers.get('retry-after'))
        throw new Error(body.detail || r.statusText)
      }
      tries = 0
      state?.('open')
      for await (const e of events(r.body, alive)) {
        if (e.id) last = e.id
        if (e.event === 'activity') f(JSON.parse(e.data))
        if (e.event === 'removed' || e.event === 'erased') gone(JSON.parse(e.data))
        if (e.event === 'problem') break
      }
    } catch { /* it is opened again, later each time */ } finally {
      clearTimeout(alarm)
    }
    if (closed || stop !== ends) return
    state?.('away')
    setTimeout(() => { if (!closed && stop === ends) read() }, Math.max(wait, Math.min(30_000, 1000 * 2 ** tries++) * (0.5 + Math.random())))
  }
  const close = () => { const s = stop; stop = null; s?.abort() }
  const seen = () => { if (document.visibilityState !== 'visible') close(); else if (!stop) read() }
  document.addEventListener('visibilitychange', seen)
  seen()
  return () => { closed = true; document.removeEventListener('visibilitychange', seen); close() }
}

// events are the server-sent events of a body.
async function * events(body, alive) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = '', e = {}
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    alive()
    text += value
    const lines = text.split('\n')
    text = lines.pop()
    for (const line of lines) {
      if (line === '') {
        if (e.id || e.data) yield e
        e = {}
        continue
      }
      const at = line.indexOf(':')
      if (at <= 0) continue
      const name = line.slice(0, at), words = line.slice(at + 1).replace(/^ /, '')
      e[name] = name === 'data' && e.data !== undefined ? e.data + '\n' + words : words
    }
  }
}
