// What components share.
import { useEffect, useMemo, useRef, useState, useLayoutEffect } from '../vendor/view.js'
import { ask, hold } from '../lib/api.js'
import { day } from '../lib/format.js'

// useAnswer polls a question while the component is shown. What was answered before stays until
// the next answer is there, marked as stale: numbers never vanish while a filter changes. Without a path nothing is asked.
export function useAnswer(path, params, every) {
  const key = path + JSON.stringify(params)
  const q = useMemo(() => path && ask(path, params, every), [key])
  const last = useRef(null)
  useEffect(() => (path ? hold(q) : undefined), [q])
  if (!path) return { data: null, stale: false, error: null }
  if (q.data.value) last.current = q.data.value
  return { data: q.data.value ?? last.current, stale: !q.data.value && !!last.current, error: q.error.value, question: q }
}

// since is the first day of an answer whose range is shorter than the one that was asked for.
export function since({ data, question } = {}) {
  const from = data && question?.said?.range?.slice(0, 10)
  return from > question?.params.start_date?.slice(0, 10) ? 'since ' + day(Date.parse(from)) : ''
}

// useWidth is the width of an element, so that a chart draws in its pixels.
export function useWidth() {
  const ref = useRef(), [width, set] = useState(0)
  useLayoutEffect(() => {
    const o = new ResizeObserver(([e]) => set(Math.round(e.contentRect.width)))
    o.observe(ref.current)
    return () => o.disconnect()
  }, [])
  return [ref, width]
}

// useOpen is whether something is open below a button; a press beside the box closes it.
export function useOpen() {
  const [open, show] = useState(false), box = useRef()
  useEffect(() => {
    if (!open) return
    const away = (e) => { if (!box.current.contains(e.target)) show(false) }
    document.addEventListener('pointerdown', away)
    return () => document.removeEventListener('pointerdown', away)
  }, [open])
  return [open, show, box]
}
