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

/** The turns of one side, oldest first. It follows the answer for who reads its end. */
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
  useEffect(() => {
    const element = box.current
    if (element !== null && follows.current) element.scrollTop = element.scrollHeight
  }, [turns, costs.join()])
  const scrolled = () => {
    const { scrollHeight, scrollTop, clientHeight } = box.current!
    follows.current = scrollHeight - scrollTop - clientHeight < nearEnd
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
