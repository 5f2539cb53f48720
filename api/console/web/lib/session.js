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

// begin takes the token of a sign-in link out of the address, or asks who is signed in.
export async function begin() {
  const token = new URLSearchParams(location.hash.slice(1)).get('in')
  if (token) {
    history.replaceState(null, '', location.pathname + location.search)
    return signIn({ token })
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
