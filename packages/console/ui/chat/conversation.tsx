import { useEffect, useRef } from 'preact/hooks'
import { scrollable } from '../parts/scrollable.ts'
import { useSession } from '../session/session.ts'
import { useStore } from '../state/use-store.ts'
import { type ChatSide, openCalls } from './chat.ts'
import { ChatStart } from './chat-start.tsx'
import { ToolResults } from './tool-results.tsx'
import { TurnText } from './turn-text.tsx'

/** How far from its end one may be and still follow it, in pixels. */
const nearEnd = 80

/** The turns of one side, oldest first. It follows the answer until one scrolls up, and again from the next message on. */
export function Conversation({
  side,
  named,
  onResults,
}: {
  side: ChatSide
  /** Whether it has the name of its model: there are others beside it. */
  named: boolean
  onResults(results: readonly string[]): void
}) {
  const { turns, model, running } = side
  const { rows } = useStore(useSession().feed.state)
  const costs = turns.map(({ requestId }) => rows?.find(({ id }) => id === requestId)?.cost)
  const box = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  const lastTop = useRef(0)
  const toEnd = () => {
    const element = box.current
    if (element !== null && follows.current) element.scrollTop = element.scrollHeight
  }
  useEffect(() => {
    follows.current = true
  }, [turns.length])
  useEffect(toEnd)
  useEffect(() => {
    if (box.current === null) return
    const observer = new ResizeObserver(toEnd)
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [turns.length === 0])
  // A scroll event comes a frame late, when the answer may have grown: only scrolling up stops following.
  const scrolled = () => {
    const { scrollHeight, scrollTop, clientHeight } = box.current!
    if (scrollHeight - scrollTop - clientHeight < nearEnd) follows.current = true
    else if (scrollTop < lastTop.current) follows.current = false
    lastTop.current = scrollTop
  }
  const name = named && <h2 class="side-name name">{model}</h2>
  if (turns.length === 0) {
    return (
      <div class="conversation">
        {name}
        <ChatStart model={model} short={named} />
      </div>
    )
  }
  const calls = running ? [] : openCalls(side)
  return (
    <div
      class="conversation"
      role="log"
      {...scrollable}
      aria-label={named ? `Messages of ${model}` : 'Messages'}
      aria-busy={turns.at(-1)?.state === 'streaming'}
      ref={box}
      onScroll={scrolled}
      onLoadCapture={toEnd}
    >
      {name}
      {turns.map((turn, at) => (
        <TurnText key={at} turn={turn} cost={costs[at]} />
      ))}
      {calls.length > 0 && (
        <ToolResults key={turns.length} calls={calls} of={named ? model : undefined} onResults={onResults} />
      )}
    </div>
  )
}
