// Signing in: by the company's provider, by the link that somebody sent, or by a key.
import { html, useEffect, useState } from '../vendor/view.js'
import { leave, problem, signIn } from '../lib/session.js'

export function SignIn() {
  const [key, set] = useState(''), [busy, work] = useState(false), [issuer, name] = useState('')
  useEffect(() => { fetch('/console/oidc/issuer').then((r) => r.json()).then((a) => name(a.issuer), () => {}) }, [])
  const enter = async (e) => {
    e.preventDefault()
    work(true)
    await signIn({ key: key.trim() })
    work(false)
  }
  return html`<main id="main" class="signin"><form onSubmit=${enter}>
    <p class="logo"><img src="/web/icon.svg" alt="" width="34" height="34" /><span>Ovation</span></p>
    <h1>Sign in</h1>
    ${issuer && html`<a class="act" href="/console/oidc" target="_self" onClick=${leave}>Sign in with ${issuer}</a>`}
    <p class="dim">${issuer ? 'Or open' : 'Open'} the sign-in link that you were sent. An operator makes one with <code>ovation console link</code>.</p>
    <label for="key">Or paste an API key</label>
    <input id="key" type="password" autocomplete="off" spellcheck="false" value=${key} onInput=${(e) => set(e.target.value)} required aria-describedby="wrong" />
    <p id="wrong" role="alert">${problem.value && problem.value.message}</p>
    <button class=${issuer ? 'act quiet' : 'act'} disabled=${busy}>${busy ? 'Signing in …' : 'Sign in'}</button></form></main>`
}
