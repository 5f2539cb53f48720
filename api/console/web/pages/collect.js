// Did my record arrive? A record of this page, sent and followed until it is visible, and the same one for a collector of one's own.
import { html, useState } from '../vendor/view.js'
import { useAnswer } from '../ui/use.js'
import { Card } from '../ui/card.js'
import { Field } from '../ui/form.js'
import { Actions } from '../ui/feed.js'
import { send } from '../lib/api.js'
import { who } from '../lib/session.js'
import { count, moment, service, services } from '../lib/format.js'

const kept = 20 // records that the page remembers

// programs publish a record, as the guide has it.
const programs = {
  kcat: (json) => `kcat -P -b "$KAFKA" -t activities <<'END'\n${json}\nEND`,
  Go: (json) => `client, err := kgo.NewClient(kgo.SeedBrokers(os.Getenv("KAFKA")), kgo.DefaultProduceTopic("activities"))\nif err != nil {\n\treturn err\n}\ndefer client.Close()\nreturn client.ProduceSync(ctx, &kgo.Record{Value: []byte(${'`' + json + '`'})}).FirstErr()`,
  Python: (json) => `import os\nfrom confluent_kafka import Producer\n\nproducer = Producer({"bootstrap.servers": os.environ["KAFKA"]})\nproducer.produce("activities", """${json}""")\nproducer.flush()`,
  Java: (json) => `Map<String, Object> config = Map.of("bootstrap.servers", System.getenv("KAFKA"));\ntry (var producer = new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {\n  producer.send(new ProducerRecord<>("activities", """\n      ${json}""")).get();\n}`,
}

export function Collect() {
  const kinds = useAnswer('/v1.1/activities', { limit: 200 }, 600_000), brands = useAnswer('/v1.1/brands', { limit: 200 }, 600_000)
  const [form, set] = useState({ activityid: '', brandid: '', by: 'id', id: '', service: 'spotify', uid: '' })
  const [program, choose] = useState('kcat'), [busy, wait] = useState(false), [sent, keep] = useState([])
  const change = (name) => (value) => set({ ...form, [name]: value })
  const member = form.by === 'id' ? { id: form.id } : { service: form.service, uid: form.uid }
  const one = async (e) => {
    e.preventDefault()
    wait(true)
    const began = performance.now(), at = Date.now()
    let result
    try {
      const item = await send('/v1.1/activity/record', { activityid: form.activityid, brandid: form.brandid, ...member, async: 0 })
      result = { at, item, took: Math.round(performance.now() - began) }
    } catch (err) {
      result = { at, failed: err.message }
    }
    keep((old) => [result, ...old].slice(0, kept))
    wait(false)
  }
  const record = JSON.stringify({
    id: 'my-record-1', source: 'my-collector', account: who.value.account,
    ...(form.by === 'id' ? { memberID: form.id || 'MEMBER' } : { service: form.service, serviceUserID: form.uid || 'USER' }),
    activityID: Number(form.activityid) || 'ACTIVITY', brandID: Number(form.brandid) || 'BRAND', time: new Date().toISOString().slice(0, 19) + 'Z',
  })
  const named = (of) => [['', 'Choose …'], ...(of.data?.items ?? []).map((x) => [String(x.ID), x.Name.replace('{brand}', '…') + (x.ServiceType ? ` (${service(x.ServiceType)})` : '')])]
  return html`<div class="page"><div class="title"><div><h1>Collect</h1><p class="dim">Did my record arrive?</p></div></div>
    <div class="cards two"><${Card} title="Send one" of=${kinds}><form class="form" onSubmit=${one}>
        <${Field} label="Activity" value=${form.activityid} onChange=${change('activityid')} options=${named(kinds)} required />
        <${Field} label="Brand" value=${form.brandid} onChange=${change('brandid')} options=${named(brands)} />
        <${Field} label="Member by" value=${form.by} onChange=${change('by')} options=${[['id', 'number'], ['uid', 'network and id there']]} />
        ${form.by === 'id' ? html`<${Field} label="Number" inputmode="numeric" pattern="[0-9]+" value=${form.id} onChange=${change('id')} required />`
          : html`<${Field} label="Network" value=${form.service} onChange=${change('service')} options=${services.map((s) => [s, service(s)])} /><${Field} label="Id there" value=${form.uid} onChange=${change('uid')} required />`}
        <div class="acts"><button class="act" disabled=${busy}>${busy ? 'Waits until it is visible …' : 'Send'}</button></div></form><//>
      <${Card} title="What became of it">${sent.length === 0 ? html`<div class="say"><strong>Nothing sent yet</strong><span>A record that is sent here shows until when it was visible, or why it was refused.</span></div>`
          : html`<ul class="rows" role="log">${sent.map((s) => html`<li key=${s.at}><span><strong class=${s.item ? 'good' : 'bad'}>${s.item ? '✓' : '✗'} ${moment(s.at).slice(11)} UTC</strong><small class="dim">${s.item ? `No. ${s.item.ID}: ${s.item.MemberName ?? 'Member ' + s.item.MemberID} ${s.item.Name}` : s.failed}</small></span>${s.item && html`<span class="value">visible after ${count(s.took)} ms</span>`}</li>`)}</ul>`}<//>
      <${Card} title="Publish it from a program" kind="whole low"><div class="range" role="radiogroup" aria-label="Program">${Object.keys(programs).map((p) => html`<button role="radio" aria-checked=${p === program} onClick=${() => choose(p)}>${p}</button>`)}</div>
        <pre class="code" tabindex="0">${programs[program](record)}</pre><p class="dim">KAFKA is the address of a broker; the topic is activities unless the node was given another. A record that is refused becomes a dead letter with the reason. The <a class="link" href="/docs/publish">guide</a> has every field.</p><//>
      <${Newest} /></div></div>`
}

// Newest are the actions recorded last, of whatever collector.
function Newest() {
  const list = useAnswer('/v1.1/activity/feed', { order_by_recorded: 1, all_member_actions: 1, includeOneTime: 1, limit: 10 }, 5_000)
  return html`<${Card} title="Recorded last" kind="whole" of=${list} empty=${list.data && !list.data.items.length && 'No record yet.'}><${Actions} items=${list.data?.items ?? []} /><//>`
}
