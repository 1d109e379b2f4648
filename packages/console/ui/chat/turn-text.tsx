import { count } from '../format/count.ts'
import { fileSize } from '../format/file-size.ts'
import { indentJson } from '../format/indent-json.ts'
import { money } from '../format/money.ts'
import { span } from '../format/span.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { scrollable } from '../parts/scrollable.ts'
import { hrefOf } from '../shell/location.ts'
import { failureNote, failureTitle } from './chat-failure.ts'
import type { ChatFailure, ChatImage, ToolCall, Turn } from './chat-types.ts'
import { Markdown } from './markdown/markdown.tsx'

/** One message. An answer is read as markdown; HTML in it stays text. */
export function TurnText({
  turn,
  cost,
}: {
  turn: Turn
  /** US dollars; `null` or `undefined` if it is not known. */
  cost: number | null | undefined
}) {
  const { role, text, state, images = [], reasoning, calls = [], resultOf, failure } = turn
  return (
    <article class={`turn ${role}`} data-state={state}>
      <h2 class="turn-who">
        {role === 'user' ? 'You' : role === 'tool' ? `Result of ${resultOf?.name}` : 'Assistant'}
      </h2>
      {images.length > 0 && <TurnImages images={images} />}
      {reasoning !== undefined && (
        <details class="turn-reasoning">
          <summary class="muted small">Reasoning</summary>
          <p class="muted">{reasoning}</p>
        </details>
      )}
      {text !== '' &&
        (role === 'assistant' ? (
          <Markdown text={text} isArriving={state === 'streaming'} />
        ) : (
          <p class="turn-text">{text}</p>
        ))}
      {calls.map((call, at) => (
        <TurnCall key={at} call={call} />
      ))}
      {state === 'streaming' && <span class="caret" aria-hidden="true" />}
      {state === 'stopped' && <p class="muted small">Stopped.</p>}
      {failure !== undefined && <FailureNotice failure={failure} />}
      {role === 'assistant' && state !== 'streaming' && <TurnFacts turn={turn} cost={cost} />}
    </article>
  )
}

function TurnFacts({
  turn: { text, state, requestId, usage, tookMs },
  cost,
}: {
  turn: Turn
  cost: number | null | undefined
}) {
  return (
    <p class="turn-facts muted small">
      {tookMs !== undefined && <span>{span(tookMs)}</span>}
      {usage !== undefined && (
        <span>
          {count(usage.input)} in, {count(usage.output)} out
        </span>
      )}
      {typeof cost === 'number' && <span>{money(cost)}</span>}
      {requestId !== undefined && (
        <a href={hrefOf('requests', requestId)}>{state === 'failed' ? 'Why it failed' : 'Request details'}</a>
      )}
      {text !== '' && <CopyButton text={text} label="Copy text" quiet />}
    </p>
  )
}

function TurnImages({ images }: { images: readonly ChatImage[] }) {
  return (
    <ul class="turn-images">
      {images.map(({ name, type, bytes, data }, at) => (
        <li key={at}>
          <img src={`data:${type};base64,${data}`} alt={name} />
          <span class="muted small">{fileSize(bytes)}</span>
        </li>
      ))}
    </ul>
  )
}

function TurnCall({ call: { id, name, arguments: json } }: { call: ToolCall }) {
  return (
    <section class="turn-call" aria-label={`Tool call ${name}`}>
      <p class="small">
        <span class="muted">Calls</span> <code>{name}</code> <code class="muted id">{id}</code>
      </p>
      <pre class="raw" {...scrollable}>
        {indentJson(json, 100_000) ?? json}
      </pre>
    </section>
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
