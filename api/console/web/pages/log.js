// What has stopped, what is lost by each way on, and records that were set aside. At the admin port, for operators.
import { html } from '../vendor/view.js'
import { useAnswer } from '../ui/use.js'
import { Card } from '../ui/card.js'
import { Copy } from '../ui/form.js'
import { count } from '../lib/format.js'

// problems are what stopped or is tried again, each with the node's own words: they name the effect and the command that helps.
function problems(s) {
  const all = []
  const note = (what, of) => { if (of?.stopped) all.push([what, of.stopped, 'stopped']); if (of?.waiting || of?.refusing) all.push([what, of.waiting || of.refusing, 'is tried again']) }
  if (s.store.error) all.push(['Store', s.store.error, 'stopped'])
  note('Catalog', s.catalog)
  for (const x of s.shards) note('Shard ' + x.shard, x)
  for (const x of s.routers) note('Activities, partition ' + x.partition, x)
  note('Embedded log', s.log)
  note('Data keys', s.keys)
  for (const file of [s.store, s.log, s.keys].flatMap((x) => x?.corruptFiles ?? [])) all.push(['Damaged file', file, 'stopped'])
  return all
}

const commands = (text) => [...new Set(text.match(/ovation (accept-gap|set-aside|rebuild) [\w.-]+( \d+)?/g) ?? [])]

export function Log() {
  const of = useAnswer('/status', {}, 10_000), s = of.data
  const all = s ? problems(s) : [], aside = (s?.shards ?? []).flatMap((x) => (x.setAside ?? []).map((offset) => [String(x.shard), offset]))
  return html`<div class="page"><div class="title"><div><h1>Log</h1><p class="dim">What has stopped, and what each way on gives up</p></div></div>
    <div class="cards"><${Card} title="Stopped" kind="wide" of=${of} empty=${s && !all.length && 'Nothing has stopped: every record is read in its order.'} csv=${{ head: ['Part', 'Says', 'State'], rows: all }}>
        <ul class="rows gaps">${all.map(([what, text, state]) => html`<li key=${what + state}><div><strong>${what}</strong> <span class=${state === 'stopped' ? 'bad' : 'dim'}>${state}</span><p>${text}</p>
          ${commands(text).map((c) => html`<pre class="code" tabindex="0" aria-label="The command">${c}</pre><p><${Copy} text=${c} /></p>`)}</div></li>`)}</ul>
        <p class="dim">A command is run on a machine of the node. What it gives up does not come back.</p><//>
      <${Card} title="Set aside" kind="brief" of=${of} note=${aside.length > 0 && count(aside.length)} empty=${s && !aside.length && 'No record was set aside.'} csv=${{ head: ['Shard', 'Offset'], rows: aside }}>
        <ul class="rows">${aside.map(([shard, offset]) => html`<li key=${shard + '/' + offset}><span>Shard ${shard}</span><span class="value">offset ${count(offset)}</span></li>`)}</ul>
        <p class="more"><a href="/operate/letters?reason=poison">Their dead letters</a></p><//></div></div>`
}
