// What forms share: a field with its label, and a command that says what became of it.
import { html, useState, useId } from '../vendor/view.js'
import { send } from '../lib/api.js'

// Field is an input, or a list to choose from where options are given.
export function Field({ label, hint, value, onChange, options, ...of }) {
  const made = useId(), id = of.id ?? made
  return html`<div class="field"><label for=${id}>${label}</label>
    ${options ? html`<select id=${id} value=${value} onChange=${(e) => onChange(e.target.value)} ...${of}>${options.map(([v, words]) => html`<option value=${v}>${words}</option>`)}</select>`
      : html`<input id=${id} value=${value} onInput=${(e) => onChange(e.target.value)} ...${of} />`}
    ${hint && html`<span class="dim">${hint}</span>`}</div>`
}

// useCommand sends a command once at a time, and keeps why it failed.
export function useCommand() {
  const [state, set] = useState({ busy: false, failed: null })
  const run = async (path, params, then) => {
    if (state.busy) return
    set({ busy: true, failed: null })
    try {
      const answer = await send(path, params)
      set({ busy: false, failed: null })
      then?.(answer)
    } catch (err) {
      set({ busy: false, failed: err.message })
    }
  }
  return { ...state, run }
}

// Confirm asks for a word to be typed before what cannot be taken back.
export function Confirm({ title, word, act, children, busy, failed, onAct, onClose }) {
  const [text, set] = useState('')
  return html`<dialog class="confirm" ref=${(d) => { if (d && !d.open) d.showModal() }} onClose=${onClose}>
    <form method="dialog" onSubmit=${(e) => { e.preventDefault(); if (text.trim() === word) onAct() }}>
      <h2>${title}</h2>${children}
      <${Field} label=${'Type ' + word + ' to go on'} value=${text} onChange=${set} autocomplete="off" />
      <p role="alert">${failed}</p>
      <div class="acts"><button type="button" class="plain" onClick=${onClose}>Cancel</button><button class="act" disabled=${busy || text.trim() !== word}>${act}</button></div></form></dialog>`
}

// Ask sends a command once a word is typed: of is { title, words, word, act, path, params, then }, null for none.
export function Ask({ of, onClose }) {
  const { busy, failed, run } = useCommand()
  return of && html`<${Confirm} title=${of.title} word=${of.word} act=${of.act} busy=${busy} failed=${failed} onClose=${onClose}
    onAct=${() => run(of.path, of.params, (answer) => { onClose(); of.then?.(answer) })}><p>${of.words}</p><//>`
}

// Copy is a button that copies a text.
export function Copy({ text }) {
  const [copied, note] = useState(false)
  return html`<button type="button" class="plain" onClick=${async () => { await navigator.clipboard.writeText(text); note(true) }}>${copied ? 'Copied' : 'Copy'}</button>`
}

// Once is what is shown this once, to be copied.
export const Once = ({ title, text }) => html`<p class="secret" role="status">${title}, shown this once: <code>${text}</code> <${Copy} text=${text} /></p>`
