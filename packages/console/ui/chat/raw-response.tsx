import { count } from '../format/count.ts'
import { span } from '../format/span.ts'
import type { Exchange, TokenCounts } from './chat-types.ts'

/** How many events are drawn: a page with all of a long answer gets slow. */
const drawn = 200

const shownHeaders =
  /^(?:x-request-id|(?:x|anthropic)-ratelimit-|retry-after|x-sluice-|content-type|x-should-retry)/

/** An answer as it came: status, headers, events. */
export function RawResponse({ exchange, usage }: { exchange: Exchange; usage: TokenCounts | undefined }) {
  const { status, headers, events, body } = exchange
  if (status === undefined) return <p class="muted">Waiting for the response …</p>
  const first = Math.max(0, events.length - drawn)
  return (
    <div class="stack">
      <dl class="facts">
        <div>
          <dt>Status</dt>
          <dd>
            <span class={status < 400 ? 'status good' : 'status bad'}>{status}</span>
          </dd>
        </div>
        {events.length > 0 && (
          <div>
            <dt>First event</dt>
            <dd>{span(events[0]!.atMs)}</dd>
          </div>
        )}
        {usage !== undefined && (
          <div>
            <dt>Usage</dt>
            <dd>
              {count(usage.input)} + {count(usage.output)} = {count(usage.input + usage.output)} tokens
            </dd>
          </div>
        )}
      </dl>
      <table class="headers">
        <caption class="hidden">Response headers</caption>
        <tbody>
          {headers
            .filter(([name]) => shownHeaders.test(name))
            .map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{value}</td>
              </tr>
            ))}
        </tbody>
      </table>
      {body !== undefined && <pre class="raw">{body}</pre>}
      {first > 0 && <p class="muted small">{count(first)} earlier events are not shown.</p>}
      {events.length > 0 && (
        <ol class="events" aria-label="Stream events">
          {events.slice(first).map(({ atMs, raw }, at) => (
            <li key={first + at}>
              <span class="muted">{span(atMs)}</span>
              <RawEvent raw={raw} />
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}

/** The piece of an answer in an event: what one looks for in a long line. */
const piece =
  /"(?:content|refusal|reasoning_content|text|thinking|partial_json)":"(?:[^"\\]|\\.)+"|"(?:finish|stop)_reason":"[^"]*"|"usage":\{.*\}|\[DONE\]/

/** An event as it came, with what is new in it in bold. */
function RawEvent({ raw }: { raw: string }) {
  const found = piece.exec(raw)
  if (found === null) return <code>{raw}</code>
  const end = found.index + found[0].length
  return (
    <code>
      {raw.slice(0, found.index)}
      <b>{found[0]}</b>
      {raw.slice(end)}
    </code>
  )
}
