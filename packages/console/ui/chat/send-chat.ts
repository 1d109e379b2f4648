import { errorIn } from '../server/api-error.ts'
import { readEvents } from '../server/read-events.ts'
import { chatDialects } from './chat-dialects.ts'
import type { Exchange, SentRequest, TokenCounts, Turn } from './chat-types.ts'

/** Where an answer goes while it comes. */
export interface AnswerSink {
  text(piece: string): void
  exchange(change: (exchange: Exchange) => Exchange): void
}

/** Sends a request and reads its answer to the end. Never rejects: what went wrong is in the outcome. */
export async function sendChat(
  { url, as, dialect, key, body }: SentRequest,
  signal: AbortSignal,
  sink: AnswerSink,
): Promise<Partial<Turn>> {
  const began = performance.now()
  const since = () => performance.now() - began
  let requestId: string | undefined
  let usage: TokenCounts | undefined
  let status: number | undefined
  const outcome = (state: Turn['state'], error?: string, code?: string): Partial<Turn> => ({
    state,
    tookMs: since(),
    ...(error === undefined ? {} : { failure: { message: error, status, code, as } }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(usage === undefined ? {} : { usage }),
  })
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
      cache: 'no-store',
      credentials: 'omit',
      signal,
    })
    status = response.status
    requestId = response.headers.get('x-request-id') ?? undefined
    sink.exchange(last => ({ ...last, status: response.status, headers: [...response.headers] }))
    if (!response.ok || response.body === null || !isEventStream(response)) {
      const text = await response.text()
      sink.exchange(last => ({ ...last, body: text }))
      const { message = `The gateway returned ${response.status}.`, code } = errorIn(text) ?? {}
      return outcome('failed', message, code)
    }
    const { read, endName } = chatDialects[dialect]
    let done = false
    for await (const { data, raw } of readEvents(response.body)) {
      const atMs = since()
      sink.exchange(last => ({ ...last, events: [...last.events, { atMs, raw }] }))
      const failure = errorIn(data)
      if (failure !== undefined) return outcome('failed', failure.message, failure.code)
      const { text, counts, isEnd = false } = read(data, usage)
      usage = counts ?? usage
      done ||= isEnd
      if (text !== undefined) sink.text(text)
    }
    return done ? outcome('complete') : outcome('failed', `The response ended before ${endName}.`)
  } catch {
    return signal.aborted
      ? outcome('stopped')
      : outcome('failed', 'Could not connect to the gateway, or lost the connection.')
  }
}

function isEventStream(response: Response): boolean {
  return (response.headers.get('content-type') ?? '').startsWith('text/event-stream')
}
