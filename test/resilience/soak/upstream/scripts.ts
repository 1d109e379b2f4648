import { chunks, completion, sse, usage } from '@sluice/testing'
import { type Exchange, pour, startStream } from './exchange.ts'
import { hostileScripts } from './hostile-scripts.ts'
import type { LiveStreams } from './live-streams.ts'

/** What the scripts need of their process. */
export interface ScriptWorld {
  /** One word a second each. */
  readonly live: LiveStreams
  /** Many words a second each. */
  readonly lively: LiveStreams
  /** The answer stands where the client is to leave. */
  reached(exchange: Exchange): void
}

export type Script = (exchange: Exchange, world: ScriptWorld) => unknown

const text = 'The gate lets the water through, and counts every drop of it. '.repeat(4)
const content = { text, usage: usage(9, 60) }
const whole = JSON.stringify(completion(content))
const events = {
  plain: sse(chunks({ text })),
  counted: sse(chunks(content)),
  tools: sse(chunks({ toolCalls: [{ name: 'look', arguments: { at: 'the gate' } }] })),
}
const begun = events.plain.slice(0, 3).join('')
const overloaded = { error: { message: 'Overloaded.', type: 'server_error', param: null, code: null } }
const kibibyte = Buffer.from(
  sse(chunks({ text: 'x'.repeat(900) }))
    .slice(1, 2)
    .join(''),
)

const refuse =
  (status: number, headers: Record<string, string> = {}): Script =>
  ({ res }) => {
    res.writeHead(status, { 'content-type': 'application/json', ...headers })
    res.end(JSON.stringify(overloaded))
  }

/** What the upstream does, by the word that the request begins with. */
export const scripts: Readonly<Record<string, Script>> = {
  ...hostileScripts,
  answer({ res, stream, usage: counted }) {
    if (!stream) {
      res.writeHead(200, { 'content-type': 'application/json' })
      res.end(whole)
      return
    }
    startStream(res)
    const list = counted ? events.counted : events.plain
    const half = list.length >> 1
    res.write(list.slice(0, half).join(''))
    setTimeout(() => res.end(list.slice(half).join('')), 20)
  },
  tools({ res }) {
    startStream(res)
    res.end(events.tools.join(''))
  },
  async large({ res }) {
    startStream(res)
    await pour(res, kibibyte, 300 * 1024)
    res.end(events.plain.slice(-2).join(''))
  },
  async flood({ res }) {
    startStream(res)
    await pour(res, kibibyte, Number.POSITIVE_INFINITY)
  },
  live({ res }, { live }) {
    startStream(res)
    live.add(res)
  },

  busy: refuse(503),
  'slow-down': refuse(429, { 'retry-after': '2' }),
  reset: ({ res }) => res.socket?.resetAndDestroy(),
  silent() {},
  cut({ res }) {
    startStream(res)
    res.write(begun)
    setTimeout(() => res.destroy(), 5)
  },
  unfinished({ res }) {
    startStream(res)
    res.end(begun)
  },
  'error-first'({ res }) {
    startStream(res)
    res.end(sse([overloaded], { done: false }).join(''))
  },
  page({ res }) {
    res.writeHead(200, { 'content-type': 'text/html' })
    res.end('<html><body>Welcome</body></html>')
  },

  'before-head': (exchange, { reached }) => reached(exchange),
  'before-text'(exchange, { reached }) {
    startStream(exchange.res)
    reached(exchange)
  },
  'mid-body'(exchange, { reached }) {
    const { res } = exchange
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': whole.length })
    res.write(whole.slice(0, whole.length >> 1), () => reached(exchange))
  },
  'mid-stream'(exchange, { lively, reached }) {
    startStream(exchange.res)
    lively.add(exchange.res)
    reached(exchange)
  },
}
