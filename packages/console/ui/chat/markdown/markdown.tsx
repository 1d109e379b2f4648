import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { renderMarkdown } from './render-markdown.tsx'

/** A text in markdown. While it arrives it is read again and again: a long one at most a tenth of the time. */
export function Markdown({ text, isArriving }: { text: string; isArriving: boolean }) {
  const [, redraw] = useState({})
  const shown = useRef(text)
  const nextAt = useRef(0)
  if (!isArriving || performance.now() >= nextAt.current) shown.current = text
  const isBehind = shown.current !== text
  useEffect(() => {
    if (!isBehind) return
    const timer = setTimeout(() => redraw({}), nextAt.current - performance.now())
    return () => clearTimeout(timer)
  }, [isBehind, text])
  const content = useMemo(() => {
    const began = performance.now()
    const made = renderMarkdown(shown.current)
    const now = performance.now()
    nextAt.current = now + 10 * (now - began)
    return made
  }, [shown.current])
  return <div class="turn-text markdown">{content}</div>
}
