// The shell: who is signed in, navigation, range, freshness, theme; and which page an address has.
import { html, render, signal, useEffect, useState } from './vendor/view.js'
import { icon } from './ui/icon.js'
import { Range, Switch } from './ui/kit.js'
import { SignIn } from './ui/signin.js'
import { href, place } from './lib/place.js'
import { freshness, lag, reached } from './lib/api.js'
import { begin, may, signOut, who } from './lib/session.js'
import { moment } from './lib/format.js'
import { Overview } from './pages/overview.js'
import { Brands } from './pages/brands.js'
import { Brand } from './pages/brand.js'
import { Members } from './pages/members.js'
import { Member } from './pages/member.js'
import { Segments } from './pages/segments.js'
import { Definitions } from './pages/activities.js'
import { FeedPage } from './pages/feed.js'

const menu = [
  ['Audience', [['/', 'home', 'Overview'], ['/brands', 'brand', 'Brands'], ['/members', 'people', 'Members'], ['/segments', 'segment', 'Segments'], ['/feed', 'feed', 'Feed'], ['/logins', 'door', 'Sign-ups']]],
  ['Operate', [['/operate', 'nodes', 'Health', 'operator'], ['/operate/letters', 'letter', 'Dead letters', 'operator'], ['/operate/applications', 'key', 'Applications', 'operator'], ['/operate/people', 'people', 'People', 'operator'], ['/operate/log', 'feed', 'Log', 'operator']]],
  ['Account', [['/activities', 'kinds', 'Activities'], ['/collect', 'letter', 'Collect', 'developer'], ['/usage', 'gauge', 'Usage'], ['/webhooks', 'hook', 'Webhooks', 'developer']]],
]

// tabs are the pages that a phone has at the bottom; the others are behind More.
const tabs = ['/', '/brands', '/members', '/feed'], operatorTabs = ['/operate', '/operate/letters', '/operate/applications', '/operate/people']

// unranged are the pages that have no range.
const unranged = ['/operate', '/operate/letters', '/operate/applications', '/operate/people', '/operate/log', '/collect', '/webhooks', '/activities', null]

// Pages that most readers never open are loaded when they are opened.
const later = (load, name) => (of) => {
  const [Page, set] = useState(null)
  useEffect(() => { load().then((m) => set(() => m[name]), () => set(() => Missed)) }, [])
  return Page ? html`<${Page} ...${of} />` : html`<p class="boot">Loading …</p>`
}
const Missed = () => html`<div class="page"><div class="say" role="alert"><strong>The page could not be loaded</strong><span>Load it again once the node is reached.</span></div></div>`
const Operate = later(() => import('./pages/operate.js'), 'Operate'), Letters = later(() => import('./pages/letters.js'), 'Letters')
const Applications = later(() => import('./pages/applications.js'), 'Applications'), People = later(() => import('./pages/people.js'), 'People'), Log = later(() => import('./pages/log.js'), 'Log')
const Lapsed = later(() => import('./pages/lapsed.js'), 'Lapsed'), Segment = later(() => import('./pages/segment.js'), 'Segment'), Compare = later(() => import('./pages/compare.js'), 'Compare')
const Usage = later(() => import('./pages/usage.js'), 'Usage'), SignUps = later(() => import('./pages/signups.js'), 'SignUps')
const Collect = later(() => import('./pages/collect.js'), 'Collect'), Webhooks = later(() => import('./pages/webhooks.js'), 'Webhooks')

// pages are by the form of the address: what a page is of, and its name.
const pages = [
  [/^\/$/, Overview, 'Overview', '/'],
  [/^\/brands$/, Brands, 'Brands', '/brands'],
  [/^\/brand\/(\d+)$/, Brand, 'Brand', '/brands'],
  [/^\/compare$/, Compare, 'Compare', '/brands'],
  [/^\/members$/, Members, 'Members', '/members'],
  [/^\/members\/lapsed$/, Lapsed, 'Lapsed members', '/members'],
  [/^\/member\/(\d+)$/, Member, 'Member', '/members'],
  [/^\/segments$/, Segments, 'Segments', '/segments'],
  [/^\/segment\/(\d+|new)$/, Segment, 'Segment', '/segments'],
  [/^\/activities$/, Definitions, 'Activities', '/activities'],
  [/^\/collect$/, Collect, 'Collect', '/collect', 'developer'],
  [/^\/operate$/, Operate, 'Health', '/operate', 'operator'],
  [/^\/operate\/letters$/, Letters, 'Dead letters', '/operate/letters', 'operator'],
  [/^\/operate\/applications$/, Applications, 'Applications', '/operate/applications', 'operator'],
  [/^\/operate\/people$/, People, 'People', '/operate/people', 'operator'],
  [/^\/operate\/log$/, Log, 'Log', '/operate/log', 'operator'],
  [/^\/usage$/, Usage, 'Usage', '/usage'],
  [/^\/webhooks$/, Webhooks, 'Webhooks', '/webhooks'],
  [/^\/feed$/, FeedPage, 'Feed', '/feed'],
  [/^\/logins$/, SignUps, 'Sign-ups', '/logins'],
]

function find(path) {
  if (path === '/' && who.value && !who.value.account) path = '/operate' // an operator without an account
  for (const [form, Page, name, at, role] of pages) {
    const found = path.match(form)
    if (found && (!role || may(role))) return { Page, name, at, id: found[1] }
  }
  return { Page: Nowhere, name: 'Not found', at: null }
}

function Nowhere() {
  return html`<div class="page"><div class="say"><strong>There is no such page</strong><a href="/">To the overview</a></div></div>`
}

function App() {
  const { Page, name, at, id } = find(place.value.path)
  const [more, open] = useState(false)
  useEffect(() => open(false), [place.value.path])
  useEffect(() => { document.title = name + ' · Ovation' }, [name])
  if (who.value === undefined) return html`<p class="boot">Loading Ovation …</p>`
  if (who.value === null) return html`<${SignIn} />`
  const account = who.value.account
  return html`<div class="shell">
    <nav class=${'side' + (more ? ' open' : '')} aria-label="Pages"><a class="logo" href="/"><img src="/web/icon.svg" alt="" width="28" height="28" /><span>Ovation</span></a>
      ${menu.map(([group, all]) => [group, all.filter(([, , , role]) => (!role || may(role)) && (account || role === 'operator'))]).map(([group, items]) => items.length > 0 && html`<div class="group"><h3>${group}</h3><ul>${items.map(([to, sign, words]) => html`<li class=${(account ? tabs : operatorTabs).includes(to) ? 'tab' : ''}><a data-at=${to} href=${href({ path: to, filters: {}, view: {} })} aria-current=${to === at ? 'page' : undefined}>${icon(sign)}<span>${words}</span></a></li>`)}</ul></div>`)}
      <button class="more" aria-expanded=${more} onClick=${() => open(!more)}>${icon('more')}<span>More</span></button>
      <div class="who"><strong>${who.value.accountName}</strong><span class="dim">${[who.value.name, who.value.role].filter(Boolean).join(' · ')}</span>
        <span class="acts">${who.value.role !== 'operator' && html`<a href="/docs">Docs</a>`}<button class="plain" onClick=${signOut}>Sign out</button></span></div></nav>
    <div class="main"><header class="top">${account > 0 && html`<${Switch} />`}<div class="grow"></div>${!unranged.includes(at) && html`<${Range} />`}<${Fresh} /><${Theme} /></header>
      <main id="main" tabindex="-1"><${Page} key=${id} id=${id} /></main></div><${Keys} /></div>`
}

function Fresh() {
  const f = freshness.value
  const words = f.kind === 'live' && lag.value !== null ? `answers are ${lag.value} ms behind the log` : ''
  return html`<span class="fresh ${f.kind}" role="status" title=${words}><i></i><span>${f.words}${f.kind === 'off' && reached.value ? ` · numbers of ${moment(reached.value).slice(11, 16)} UTC` : ''}</span></span>`
}

function Keys() {
  return helped.value && html`<dialog class="confirm" ref=${(d) => { if (d && !d.open) d.showModal() }} onClose=${() => { helped.value = false }}><form method="dialog"><h2>Keys</h2>
    <dl class="facts keys">${keys.map(([key, words]) => html`<dt><kbd>${key}</kbd></dt><dd>${words}</dd>`)}</dl><div class="acts"><button class="act">Close</button></div></form></dialog>`
}

function Theme() {
  const root = document.documentElement
  const [dark, set] = useState(root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches)
  const turn = () => { const to = dark ? 'light' : 'dark'; root.dataset.theme = to; try { localStorage.setItem('theme', to) } catch { /* for this page only */ } set(!dark) }
  return html`<button class="tool big" onClick=${turn} title=${dark ? 'Light' : 'Dark'} aria-label=${dark ? 'Use the light theme' : 'Use the dark theme'}>${icon(dark ? 'sun' : 'moon')}</button>`
}

// Keys.
const keys = [['/', 'find a brand'], ['g o, b, m, s, f, l', 'overview, brands, members, segments, feed, sign-ups'], ['1 to 5', 'the range'], ['t', 'chart or table of the card in focus'], ['p', 'pause the live feed'], ['← → Page up, Page down', 'a day, a week in a chart'], ['m', 'mark the day in a chart'], ['Enter', 'first and last day of a range in a chart'], ['?', 'this list']]
const letters = { o: '/', b: '/brands', m: '/members', s: '/segments', f: '/feed', l: '/logins' }
let goes = false
const helped = signal(false)
addEventListener('keydown', (e) => {
  if (/INPUT|TEXTAREA|SELECT/.test(e.target.tagName) || e.metaKey || e.ctrlKey || e.altKey) return
  if (e.key === '/') { e.preventDefault(); document.getElementById('find')?.focus() }
  if (goes && letters[e.key]) document.querySelector(`.side a[data-at="${letters[e.key]}"]`)?.click()
  goes = e.key === 'g'
  if (e.key === 't') (document.activeElement.closest('.card') ?? document).querySelector('[data-key=t]')?.click()
  if (e.key === 'p') document.querySelector('[data-key=p]')?.click()
  if (e.key === '?') helped.value = true
  if (/^[1-5]$/.test(e.key)) document.querySelectorAll('.range button')[e.key - 1]?.click()
})

begin()
addEventListener('hashchange', begin)
const root = document.getElementById('app')
root.replaceChildren()
render(html`<${App} />`, root)
