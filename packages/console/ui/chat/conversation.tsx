import { useEffect, useRef } from 'preact/hooks'
import { Empty } from '../parts/empty.tsx'
import { scrollable } from '../parts/scrollable.ts'
import type { Turn } from './chat-types.ts'
import { TurnText } from './turn-text.tsx'

/** How far from its end one may be and still follow it, in pixels. */
const nearEnd = 80

/** The turns, oldest first. It follows the answer for who reads its end. */
export function Conversation({ turns, model }: { turns: readonly Turn[]; model: string }) {
  const box = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  useEffect(() => {
    const element = box.current
    if (element !== null && follows.current) element.scrollTop = element.scrollHeight
  }, [turns])
  const scrolled = () => {
    const { scrollHeight, scrollTop, clientHeight } = box.current!
    follows.current = scrollHeight - scrollTop - clientHeight < nearEnd
  }
  if (turns.length === 0) {
    return (
      <div class="conversation">
        <Empty title="Start a conversation">
          {model === ''
            ? 'This gateway has no models yet.'
            : `Responses of ${model} are streamed here, as for any client.`}
        </Empty>
      </div>
    )
  }
  return (
    <div
      class="conversation"
      role="log"
      {...scrollable}
      aria-label="Messages"
      aria-busy={turns.at(-1)?.state === 'streaming'}
      ref={box}
      onScroll={scrolled}
    >
      {turns.map((turn, at) => (
        <TurnText key={at} turn={turn} />
      ))}
    </div>
  )
}
