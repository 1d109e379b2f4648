import { count } from '../format/count.ts'
import { span } from '../format/span.ts'
import { hrefOf } from '../shell/location.ts'
import { failureNote, failureTitle } from './chat-failure.ts'
import type { ChatFailure, Turn } from './chat-types.ts'

/** One message, as text: nothing in an answer is ever markup. */
export function TurnText({ turn }: { turn: Turn }) {
  const { role, text, state, failure, requestId, usage, tookMs } = turn
  return (
    <article class={`turn ${role}`} data-state={state}>
      <h2 class="turn-who">{role === 'user' ? 'You' : 'Assistant'}</h2>
      {text !== '' && <p class="turn-text">{text}</p>}
      {state === 'streaming' && <span class="caret" aria-hidden="true" />}
      {state === 'stopped' && <p class="muted small">Stopped.</p>}
      {failure !== undefined && <FailureNotice failure={failure} />}
      {role === 'assistant' && state !== 'streaming' && (
        <p class="turn-facts muted small">
          {tookMs !== undefined && <span>{span(tookMs)}</span>}
          {usage !== undefined && (
            <span>
              {count(usage.input)} in, {count(usage.output)} out
            </span>
          )}
          {requestId !== undefined && (
            <a href={hrefOf('requests', requestId)}>
              {state === 'failed' ? 'Why it failed' : 'Request details'}
            </a>
          )}
        </p>
      )}
    </article>
  )
}

function FailureNotice({ failure }: { failure: ChatFailure }) {
  const note = failureNote(failure)
  return (
    <div class="notice bad turn-failure" role="alert">
      <strong>
        {failureTitle(failure)}
        {failure.status !== undefined && failure.status >= 400 && ` (${failure.status})`}
      </strong>
      <p>{failure.message}</p>
      {note !== undefined && <p class="small">{note}</p>}
    </div>
  )
}
