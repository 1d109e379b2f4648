import type { RequestDetail } from '../../src/api.ts'
import { span } from '../format/span.ts'
import { useClock } from '../state/use-clock.ts'
import { type WaterfallRow, waterfallRows } from './waterfall-rows.ts'

/** The time of a request: the queue, and each attempt. */
export function Waterfall({ request }: { request: RequestDetail }) {
  const running = request.outcome === 'running'
  const now = useClock(250, running)
  const elapsedMs = request.totalMs ?? Math.max(0, now - request.at)
  const rows = waterfallRows(request, elapsedMs)
  const wholeMs = Math.max(elapsedMs, ...rows.map(({ endMs }) => endMs), 1)
  const share = (ms: number) => `${(100 * Math.min(ms, wholeMs)) / wholeMs}%`
  return (
    <section>
      <h3>Where the time went</h3>
      {rows.length === 0 && (
        <p class="muted">
          {running ? 'Attempts are shown when they have ended.' : 'No provider was called.'}
        </p>
      )}
      <div class="waterfall">
        <div class="scale" aria-hidden="true">
          <span>0</span>
          <span>{span(wholeMs / 2)}</span>
          <span>{span(wholeMs)}</span>
        </div>
        <ol>
          {rows.map((row, at) => (
            <Bar key={at} row={row} share={share} />
          ))}
        </ol>
        {request.firstByteMs !== undefined && (
          <div class="lane" aria-hidden="true">
            <span class="first-byte" style={{ left: share(request.firstByteMs) }} />
          </div>
        )}
      </div>
      <p class="muted small">
        {request.firstByteMs === undefined
          ? running
            ? `Running for ${span(elapsedMs)}.`
            : `Ended after ${span(elapsedMs)}, without a first byte.`
          : `The dashed line is the first byte to the client, at ${span(request.firstByteMs)}.`}
      </p>
    </section>
  )
}

function Bar({ row, share }: { row: WaterfallRow; share(ms: number): string }) {
  const { name, note, look, startMs, endMs, contentMs, result } = row
  const waits = contentMs ?? endMs
  return (
    <li class={`bar-row ${look}`}>
      <span class="bar-name">
        <span class="name">{name}</span>
        {note !== '' && <span class="tag">{note}</span>}
      </span>
      <span class="bar-track" aria-hidden="true">
        <span class="bar-fill" style={{ left: share(startMs), width: share(waits - startMs) }} />
        {contentMs !== undefined && (
          <span
            class="bar-fill content"
            style={{ left: share(contentMs), width: share(endMs - contentMs) }}
          />
        )}
      </span>
      <span class="bar-text small">
        <span class="bar-result">{result}</span>
        <span class="muted">
          {contentMs !== undefined
            ? `first content after ${span(contentMs - startMs)}`
            : `from ${span(startMs)}, for ${span(endMs - startMs)}`}
        </span>
      </span>
    </li>
  )
}
