// One member: who it is, where, what it does for which brands.
import { html, useState } from '../vendor/view.js'
import { useAnswer } from '../ui/use.js'
import { Card } from '../ui/card.js'
import { Figure, Mark, nameOf, Picture } from '../ui/kit.js'
import { Actions } from '../ui/feed.js'
import { Explained } from '../ui/explain.js'
import { Bars } from '../charts/bars.js'
import { Confirm, useCommand } from '../ui/form.js'
import { address, refresh } from '../lib/api.js'
import { headers, may } from '../lib/session.js'
import { range } from '../lib/place.js'
import { country, service } from '../lib/format.js'

const genders = { M: 'Male', F: 'Female', Other: 'Other' }

export function Member({ id }) {
  const of = useAnswer('/v1.1/member/' + id, { showposition: 1, showbrands: 1, limit: 10, ...range.value }, 30_000)
  const actions = useAnswer('/v1.1/activity/feed', { members: id, all_member_actions: 1, includeOneTime: 1, limit: 25, ...range.value })
  const domains = useAnswer(`/v1.1/member/${id}/domains/top`, { ...range.value, limit: 8 }, 60_000)
  const m = of.data?.data
  const [asks, ask] = useState(false), [explains, explain] = useState(false), [receipt, note] = useState(null)
  const { busy, failed, run } = useCommand()
  const edits = may('editor', 'developer')
  const opt = (o) => run(o.Type === 'Brand' ? `/v1.1/brand/${o.ID}/optout` : o.Type === 'Segment' ? `/v1.1/segment/${o.SegmentID}/optout` : '/v1.1/optout', { id }, () => refresh('/v1.1/member/' + id))
  if (receipt) return html`<div class="page"><div class="say"><strong>The member is erased</strong><span>Receipt: ${receipt.Receipt}</span>${receipt.GoneBy && html`<span class="dim">The last bytes are gone by ${receipt.GoneBy} UTC</span>`}<a href="/members">To the members</a></div></div>`
  if (of.error?.status === 404 || of.error?.status === 410) {
    return html`<div class="page"><div class="say"><strong>${of.error.status === 410 ? 'This member is erased, or was merged into another' : 'There is no such member'}</strong><span>${of.error.message}</span><a href="/members">To the members</a></div></div>`
  }
  const place = m && [m.City, m.CountryCode && country(m.CountryCode)].filter(Boolean).join(', ')
  return html`<div class="page">
    <div class="title"><${Picture} of=${{ ID: id }} size="46" /><div><h1>${m ? nameOf(m) : '…'}</h1><p class="dim">${m ? ['No. ' + m.ID, place, genders[m.Gender]].filter(Boolean).join(' · ') : ' '}</p></div><span class="acts right"><button class="plain" disabled=${!m} aria-expanded=${explains} onClick=${() => explain(!explains)}>Explain the score</button>${edits && html`<button class="plain" disabled=${!m} onClick=${() => download(id)}>Export</button><button class="plain bad" disabled=${!m} onClick=${() => ask(true)}>Erase</button>`}</span></div>
    <p role="alert">${!asks && failed}</p>
    <div class="figures"><${Figure} label="Position" value=${m && (Number(m.AEPosition) || m.AEPosition)} of=${of} help="by score, among all members in the range" />
      <${Figure} label="Score" value=${m && Number(m.Score)} of=${of} />
      <${Figure} label="Activities" value=${actions.data && Number(actions.data.totalSize)} of=${actions} />
      <${Figure} label="Networks" value=${of.data && of.data.services.length} /></div>
    <div class="cards">${explains && html`<${Explained} id=${id} params=${range.value} onClose=${() => explain(false)} />`}
      <${Card} title="Activities" kind="wide tall feed" of=${actions} empty=${actions.data && !actions.data.items.length && 'Nothing in this range.'}><${Actions} items=${actions.data?.items ?? []} /><//>
      <${Card} title="Top brands" of=${of} empty=${of.data && !(of.data.brands ?? []).length && 'Active for no brand in this range.'} table=${{ head: ['Brand', 'Score', 'Activities'], rows: (of.data?.brands ?? []).map((b) => [b.Name, Number(b.Score), Number(b.ActivityCount)]) }}>
        <ol class="brands">${(of.data?.brands ?? []).map((b) => html`<li key=${b.ID}><a href=${'/brand/' + b.ID}><${Mark} name=${b.Name} id=${b.ID} size="s" /><span class="cut">${b.Name}<small>${b.Type}</small></span><span class="value">${b.Score}</span></a></li>`)}</ol><//>
      <${Card} title="Networks" of=${of}><ul class="rows">${(of.data?.services ?? []).map((s) => html`<li key=${s.ID}><i class="dot s-${s.Service}"></i><strong>${service(s.Service)}</strong><span class="dim cut">${s.Username ?? s.UserID ?? ''}</span><span class="value dim">${s.ActivitySharing === '1' ? 'shares activity' : 'does not share'}</span></li>`)}</ul><//>
      <${Card} title="Opt-ins" of=${of} empty=${of.data && !of.data.optins.length && 'Opted in to nothing.'}><ul class="rows">${(of.data?.optins ?? []).map((o) => html`<li><span>${o.Name}</span><span class="value dim">${o.Type ?? 'Account'}</span>${edits && html`<button class="plain" disabled=${busy} onClick=${() => opt(o)}>Opt out</button>`}</li>`)}</ul><//>
      <${Card} title="Visits by domain" of=${domains} empty=${domains.data && !domains.data.items.length && 'No visit in this range.'}><${Bars} unit="visits" rows=${(domains.data?.items ?? []).map((d) => ({ key: d.domain, label: d.domain ?? 'no domain', value: d.visits, fixed: true }))} /><//>
    </div>
    ${asks && html`<${Confirm} title=${'Erase ' + nameOf(m) + '?'} word=${String(m.ID)} act="Erase" busy=${busy} failed=${failed} onClose=${() => ask(false)} onAct=${() => run(`/v1.1/member/${id}/delete`, {}, note)}>
      <p>Nothing of this member stays in any number or list, and nothing brings it back. Numbers of the past become smaller.</p><//>`}</div>`
}

// download saves everything that is held about a member, as lines of JSON.
async function download(id) {
  const r = await fetch(address(`/v1.1/member/${id}/export`), { headers: headers() })
  if (!r.ok) return
  const a = document.createElement('a')
  a.href = URL.createObjectURL(await r.blob())
  a.download = `member-${id}.ndjson`
  a.click()
  setTimeout(() => URL.revokeObjectURL(a.href), 1000)
}
