// How the installation is: one sentence, then what it is made of. At the admin port, for operators.
import { html, useEffect, useState } from '../vendor/view.js'
import { useAnswer } from '../ui/use.js'
import { Card, Table } from '../ui/card.js'
import { Figure } from '../ui/kit.js'
import { count, size, took } from '../lib/format.js'

const kept = 300 // looks of two seconds each: ten minutes

const late = 5000 // ms behind the log

// wrongs are what is not as it should be: what, what helps, and whether the page of the log has more.
function wrongs(s, seen) {
  const all = []
  const stopped = (text, x) => all.push({ text, does: x.stopped ? 'It does not go on by itself.' : 'It is tried again.', more: true })
  for (const x of s.shards) if (x.behaviour !== 'serving') stopped(`Shard ${x.shard}: ${x.stopped || x.waiting || x.behaviour}`, x)
  for (const x of s.routers) if (x.stopped || x.waiting) stopped(`Partition ${x.partition} of the activities: ${x.stopped || x.waiting}`, x)
  for (const x of s.nodes) if (x.state !== 'serving') all.push({ text: `Node ${x.address}: ${x.wrong || x.state}` })
  const behind = s.shards.filter((x) => x.behaviour === 'serving' && x.lagMs > late)
  for (const x of behind) {
    const first = seen[0], at = seen.at(-1), left = x.end - x.applied
    const rate = seen.length > 1 ? 1000 * (at.applied[x.shard] - first.applied[x.shard]) / (at.at - first.at) : null
    all.push({ text: `Shard ${x.shard} is ${took(x.lagMs)} behind the log, ${count(left)} records`, more: rate === 0,
      does: rate === null ? '' : rate > 0 ? `It applies ${count(Math.ceil(rate))} a second and goes on by itself. If it stays behind, the node needs more CPU.` : 'It applied none since this page was opened.' })
  }
  if (s.lagMs > late && !behind.length) all.push({ text: `Answers are ${took(s.lagMs)} behind the log` })
  if (!s.ready && !all.length) all.push({ text: 'The node is not ready' })
  return all
}

const Wrong = ({ of }) => html`${of.text.replace(/\.$/, '')}. ${of.does} ${of.more && html`<a class="link" href="/operate/log">What helps</a>`}`

export function Operate() {
  const of = useAnswer('/status', {}, 2_000), s = of.data
  const [seen, see] = useState([])
  useEffect(() => {
    if (s) see((old) => [...old, { at: performance.now(), lag: s.lagMs, recorded: s.shards.reduce((n, x) => n + x.recorded, 0), applied: Object.fromEntries(s.shards.map((x) => [x.shard, x.applied])) }].slice(-kept))
  }, [s])
  if (!s) return html`<div class="page"><div class="title"><h1>Health</h1></div><div class="cards"><${Card} title="Status" of=${of} /></div></div>`
  const first = seen[0], last = seen.at(-1)
  const rate = seen.length > 1 ? 1000 * (last.recorded - first.recorded) / (last.at - first.at) : undefined
  const rates = seen.slice(1).map((x, i) => Math.max(0, 1000 * (x.recorded - seen[i].recorded) / (x.at - seen[i].at)))
  const wrong = wrongs(s, seen), waits = s.shards.reduce((n, x) => n + x.outbox, 0), letters = s.shards.reduce((n, x) => n + x.lettersWaiting, 0)
  return html`<div class="page"><div class="title"><div><h1>Health</h1><p class="state ${wrong.length ? 'bad' : 'good'}" role="status">${wrong.length ? html`<${Wrong} of=${wrong[0]} />` : `All ${s.shards.length} shards serve, ${took(s.lagMs)} behind the log.`}</p></div></div>
    ${wrong.length > 1 && html`<ul class="wrongs">${wrong.slice(1).map((w) => html`<li><${Wrong} of=${w} /></li>`)}</ul>`}
    <div class="figures"><${Figure} label="Behind the log, ms" value=${s.lagMs} line=${seen.map((x) => x.lag)} /><${Figure} label="Activities a second" value=${rate} line=${rates} />
      <${Figure} label="Waits to be forwarded" value=${waits} help="Records of the shards' outboxes" /><${Figure} label="Dead letters that wait" value=${letters} help="Not yet written to their topic" /></div>
    <div class="cards"><${Card} title="Shards" kind="wide" of=${of} csv=${{ head: shardHead, rows: s.shards.map(shardRow) }}><${Table} caption="Shards" head=${shardHead} rows=${s.shards.map(shardRow)} /><//>
      <${Card} title="Disk" of=${of} note=${s.replication?.split(':')[0] + (s.replication?.startsWith('1') ? ' copy of the log' : ' copies of the log')}>
        <dl class="facts"><dt>State</dt><dd>${size(s.store.disk)}</dd><dt>Free</dt><dd>${size(s.store.diskFree)}</dd>${s.log && html`<dt>Log</dt><dd>${size(s.log.disk)}</dd>`}<dt>Data keys</dt><dd>${size(s.keys.disk)}</dd><dt>Members' keys</dt><dd>${count(s.keys.cached)}</dd></dl><//>
      <${Card} title="Partitions of the activities" kind="wide" of=${of} csv=${{ head: routerHead, rows: s.routers.map(routerRow) }}><${Table} caption="Partitions" head=${routerHead} rows=${s.routers.map(routerRow)} /><//>
      <${Card} title="Nodes" of=${of}><ul class="rows">${s.nodes.map((n) => html`<li key=${n.id}><span><strong>${n.address}</strong><small class="dim">${n.duties}</small></span><span class="value ${n.state === 'serving' ? 'good' : 'bad'}">${n.state}${n.self ? ', this one' : ''}</span></li>`)}</ul><//></div></div>`
}

const shardHead = ['Shard', 'State', 'Applied to', 'Behind, ms', 'Rows', 'Members', 'Repeats', 'Commits', 'Outbox']
const shardRow = (x) => [String(x.shard), x.behaviour, x.applied, x.lagMs, x.rows, x.registered, x.duplicates, x.commits, x.outbox]
const routerHead = ['Partition', 'Routed to', 'End', 'Behind, ms', 'By']
const routerRow = (x) => [String(x.partition), x.next, x.end, x.lagMs, x.here ? 'this node' : x.by ?? 'no node']
