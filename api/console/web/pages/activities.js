// What members can do: the definitions of the account.
import { html } from '../vendor/view.js'
import { useAnswer } from '../ui/use.js'
import { Card } from '../ui/card.js'
import { Find, Pages } from '../ui/list.js'
import { place, set } from '../lib/place.js'
import { count, service } from '../lib/format.js'

const size = 50

export function Definitions() {
  const { keyword } = place.value.filters, { skip = 0 } = place.value.view
  const list = useAnswer('/v1.1/activities', { keyword, limit: `${skip},${size}` }, 60_000)
  const items = list.data?.items ?? [], all = Number(list.data?.totalSize ?? 0)
  return html`<div class="page"><div class="title"><div><h1>Activities</h1><p class="dim">${list.data ? `${count(all)} kinds of action` : ' '}</p></div></div>
    <div class="filters"><${Find} label="Name" value=${keyword} onFind=${(v) => set({ keyword: v }, {}, true)} /></div>
    <${Card} title="Kinds of action" of=${list} empty=${list.data && !items.length && 'No activity has this name.'} csv=${{ head: ['ID', 'Name', 'Type', 'Service', 'Points', 'Once'], rows: items.map((a) => [Number(a.ID), a.Name, a.Type, a.ServiceType, Number(a.Value), a.OneTime ? 'once' : '']) }}>
      <table class="list"><thead><tr><th scope="col">Name</th><th scope="col">Service</th><th scope="col" class="num">Points</th><th scope="col">Type</th><th scope="col">Counts</th><th scope="col" class="num">ID</th></tr></thead>
        <tbody>${items.map((a) => html`<tr key=${a.ID}><th scope="row"><a href=${'/feed?activityID=' + a.ID}>${a.Name.replace('{brand}', '…')}</a></th><td><i class="dot s-${a.ServiceType}"></i> ${service(a.ServiceType)}</td><td class="num">${a.Value}</td><td>${a.Type}</td><td>${a.OneTime ? 'once a member and brand' : 'each time'}</td><td class="num">${a.ID}</td></tr>`)}</tbody></table>
      <${Pages} from=${Number(skip)} size=${size} all=${all} /><//></div>`
}
