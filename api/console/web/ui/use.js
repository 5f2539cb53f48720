// What components share.
import { useEffect, useMemo, useRef, useState, useLayoutEffect } from '../vendor/view.js'
import { ask, hold } from '../lib/api.js'

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
