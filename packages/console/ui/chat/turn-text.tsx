import { count } from '../format/count.ts'
import { span } from '../format/span.ts'
import { hrefOf } from '../shell/place.ts'
import type { Turn } from './chat.ts'

/** One message, as text: nothing in an answer is ever markup. */
export function TurnText({ turn }: { turn: Turn }) {
  const { role, text, state, error, requestId, usage, tookMs } = turn
  return (
    <article class={`turn ${role}`} data-state={state}>
      <h2 class="turn-who">{role === 'user' ? 'You' : 'Answer'}</h2>
      {text !== '' && <p class="turn-text">{text}</p>}
      {state === 'streaming' && <span class="caret" aria-hidden="true" />}
      {state === 'stopped' && <p class="muted small">Stopped.</p>}
      {error !== undefined && <p class="notice bad">{error}</p>}
      {role === 'assistant' && state !== 'streaming' && (
        <p class="turn-facts muted small">
          {tookMs !== undefined && <span>{span(tookMs)}</span>}
          {usage !== undefined && (
            <span>
              {count(usage.prompt_tokens)} in, {count(usage.completion_tokens)} out
            </span>
          )}
          {requestId !== undefined && <a href={hrefOf('requests', requestId)}>How it was answered</a>}
        </p>
      )}
    </article>
  )
}
