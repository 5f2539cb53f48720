// Who is signed in. A session has two halves: a cookie that scripts cannot read, and one that this page sends in a header.
// A page of another port of this machine gets the cookie, and not the other half.
import { signal } from '../vendor/view.js'

export const who = signal(undefined) // undefined: not asked yet; null: nobody
export const problem = signal(null)  // why nobody could be signed in

const name = 'ovation'
let half = read()

function read() { try { return localStorage.getItem(name) } catch { return null } }
function keep(value) {
  half = value
  try { if (value) localStorage.setItem(name, value); else localStorage.removeItem(name) } catch { /* for this page only */ }
}

// headers are what a request of the session carries.
export const headers = () => (half ? { 'Ovation-Console': half } : {})

async function session(method, body) {
  const r = await fetch('/console/session', {
    method, headers: { ...headers(), ...(body ? { 'Content-Type': 'application/json' } : {}) }, body: body && JSON.stringify(body), cache: 'no-store',
  })
  const answer = r.status === 204 ? {} : await r.json().catch(() => ({}))
  if (!r.ok) throw Object.assign(new Error(answer.detail || answer.title || r.statusText), { status: r.status })
  return answer
}

// Why a sign-in by the provider failed, and what to do.
const reasons = {
  refused: 'The provider did not sign you in.',
  late: 'The sign-in was not begun in this browser, or took more than ten minutes. Begin again.',
  unknown: 'You are signed in at the provider, and nobody gave you a role here. Ask an operator.',
  exhausted: 'Too many people sign in right now. Try again in a moment.',
  failed: 'The provider cannot be asked, or its answer is not right. An operator finds the reason in the log of the node.',
}
const left = 'ovation-from' // key of the address of the page from which somebody went to the provider

// leave notes the page to come back to from the provider.
export function leave() { try { sessionStorage.setItem(left, location.pathname + location.search) } catch { /* then the first page */ } }

// back goes to the page that was left.
function back() {
  let to
  try { to = sessionStorage.getItem(left); sessionStorage.removeItem(left) } catch { /* then the first page */ }
  if (!to || location.pathname !== '/') return
  history.replaceState(null, '', to)
  dispatchEvent(new PopStateEvent('popstate'))
}

// begin takes the token of a sign-in link out of the address, or asks who is signed in.
export async function begin() {
  const from = new URLSearchParams(location.hash.slice(1)), token = from.get('in'), reason = from.get('oidc')
  if (token || reason) history.replaceState(null, '', location.pathname + location.search)
  if (token) {
    await signIn({ token })
    return back()
  }
  if (reason) {
    back()
    problem.value = new Error(reasons[reason] ?? reasons.failed)
    who.value = null
    return
  }
  if (!half) { who.value = null; return }
  try {
    who.value = await session('GET')
  } catch (err) {
    if (err.status === 401) keep(null)
    else problem.value = err
    who.value = null
  }
}

// signIn begins a session by the token of a link, or by a key.
export async function signIn(by) {
  problem.value = null
  try {
    const answer = await session('POST', by)
    keep(answer.half)
    who.value = answer
  } catch (err) {
    problem.value = err
    who.value = null
  }
}

// signOut ends the session, on all nodes.
export async function signOut() {
  try { await session('DELETE') } catch { /* it is over in this browser in any case */ }
  keep(null)
  who.value = null
}

// over notes that the server knows the session no more.
export function over() { keep(null); who.value = null }

// A session is renewed by who asks for it: a page that is open for weeks does, twice a day.
setInterval(() => { if (who.value) session('GET').catch((err) => { if (err.status === 401) over() }) }, 43_200_000)

// may reports that the role may do something beyond reading. Operators may everything.
export const may = (...roles) => [...roles, 'operator'].includes(who.value?.role)
