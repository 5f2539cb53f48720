// Actions as they become visible: the newest stored ones, then the stream.
import { html, useEffect, useLayoutEffect, useState, useRef } from '../vendor/view.js'
import { useAnswer } from './use.js'
import { Card } from './card.js'
import { icon } from './icon.js'
import { Picture } from './kit.js'
import { follow } from '../lib/api.js'
import { ago, parse, service, moment } from '../lib/format.js'

const kept = 60, spare = 30 // rows on the page, and how many more they become; older ones are on the feed's own page
const keptGone = 500 // of what was taken back; the answer that has it is asked for again meanwhile

// takes reports that what is gone is an action.
const takes = (gone, i) => gone.ID ? gone.ID === i.ID : gone.MemberID === (i.MergedMemberID ?? i.MemberID)

// tell is of who counts what comes: item, gone and state. No row is shown while words is null.
export function Feed({ params, tell, title = 'Live feed', kind = '', words = (s) => s }) {
  const key = JSON.stringify(params)
  const first = useAnswer('/v1.1/activity/feed', { ...params, all_member_actions: 1, includeOneTime: 1, limit: 25 }, 3_600_000)
  const [fresh, set] = useState([]), [lost, lose] = useState([]), [held, hold] = useState(false), [state, say] = useState('open')
  const [, tick] = useState(0)
  const waiting = useRef([]), full = useRef(false)
  useEffect(() => {
    set([]); lose([]); waiting.current = []; full.current = false
    const gone = (g) => {
      waiting.current = waiting.current.filter((i) => !takes(g, i))
      lose((old) => [g, ...old].slice(0, keptGone))
      tell?.gone()
    }
    return follow({ ...params, includeOneTime: 1 }, (item) => { waiting.current.unshift(item); waiting.current.splice(kept); tell?.item(item) }, gone, (s) => { say(s); tell?.state(s) })
  }, [key])
  useEffect(() => {
    // what came is shown twice a second at most, and not while the reader holds the list
    const t = setInterval(() => {
      if (held) return
      set((old) => {
        if (old.length > kept + spare) { full.current = true; return old.slice(0, kept) } // by itself: rows that stay are not moved
        const came = waiting.current.splice(0)
        if (came.length === kept) { full.current = true; return came } // as many as are shown came while the list was held
        return came.length ? [...came, ...old] : old
      })
    }, 500)
    const clock = setInterval(() => tick((n) => n + 1), 10_000)
    return () => { clearInterval(t); clearInterval(clock) }
  }, [held, key])
  const known = new Set(fresh.map((i) => i.ID))
  const rows = [...fresh, ...(full.current ? [] : first.data?.items ?? []).filter((i) => !known.has(i.ID))].filter((i) => !lost.some((g) => takes(g, i)))
  const tools = html`<button class="tool" data-key="p" aria-pressed=${held} title=${held ? 'Go on' : 'Pause'} onClick=${() => hold(!held)}>${icon(held ? 'play' : 'pause')}<span class="hide">Pause the live feed</span></button>`
  return html`<${Card} title=${title} kind=${'feed ' + kind} of=${words ? first : { question: first.question }} tools=${tools} empty=${rows.length === 0 && 'No activity in this range. What fans do shows here the moment it is applied.'}
    note=${html`<span class="beat ${held ? 'held' : state}" title=${state === 'open' ? 'connected' : 'connecting again'}></span>${held ? 'paused' : state === 'open' ? '' : 'reconnecting …'}`}>
    <${Actions} items=${rows} came=${known} words=${words} /><//>`
}

// Actions is a list of actions, as feeds have them. Rows that are seen stay where they are when others come or go above them.
// A list that showed its top then scrolls to it.
export function Actions({ items, came = new Set(), words = (s) => s }) {
  const box = useRef(), placed = useRef([]), goes = useRef(false)
  useLayoutEffect(() => {
    const list = box.current, at = list.scrollTop, rows = [...list.children].map((row) => ({ row, y: row.offsetTop }))
    const seen = placed.current.find((r) => r.y + r.row.offsetHeight > at && r.row.parentNode === list)
    const moved = seen ? seen.row.offsetTop - seen.y : 0
    placed.current = rows
    if (!moved) return
    const top = goes.current || at < 1
    list.scrollTop = at + moved
    if (!top || goes.current) return
    goes.current = true
    requestAnimationFrame(() => requestAnimationFrame(() => { goes.current = false; if (box.current) box.current.scrollTop = 0 })) // once the place is painted
  })
  return html`<ol class="items" ref=${box} tabindex="0" aria-label="Activities">${items.map((i) => html`<li key=${i.ID} class=${came.has(i.ID) ? 'came' : ''}>
      <${Picture} of=${{ ID: i.MemberID }} size="32" />
      <p><a href=${'/member/' + i.MemberID}><strong>${i.MemberName ?? 'Member ' + i.MemberID}</strong></a> ${words(i.Name)}${i.Content?.TrackName && html`<span class="content cut">${i.Content.TrackName}</span>`}</p>
      <span class="when"><time datetime=${i.CompleteDate.replace(' ', 'T') + 'Z'} title=${moment(parse(i.CompleteDate)) + ' UTC'}>${ago(parse(i.CompleteDate))}</time><i class="dot s-${i.ServiceType}" title=${service(i.ServiceType)}></i></span></li>`)}</ol>`
}
