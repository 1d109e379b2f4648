import { errorIn } from '../server/api-error.ts'
import { readEvents } from '../server/read-events.ts'
import { chatDialects } from './chat-dialects.ts'
import type { Exchange, SentRequest, TokenCounts, Turn } from './chat-types.ts'
import type { AnswerPiece } from './dialects/chat-dialect.ts'

/** Where an answer goes while it comes. */
export interface AnswerSink {
  /** What the events since the last call add. */
  pieces(pieces: readonly AnswerPiece[]): void
  exchange(change: (exchange: Exchange) => Exchange): void
}

/** Events within so many milliseconds are shown together: drawing the page for each of thousands would block it. */
const showMs = 16

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
  let pieces: AnswerPiece[] = []
  let events: Exchange['events'][number][] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const show = () => {
    clearTimeout(timer)
    timer = undefined
    const [newPieces, newEvents] = [pieces, events]
    if (newEvents.length === 0) return
    pieces = []
    events = []
    sink.exchange(last => ({ ...last, events: [...last.events, ...newEvents] }))
    sink.pieces(newPieces)
  }
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
      events.push({ atMs: since(), raw })
      timer ??= setTimeout(show, showMs)
      const failure = errorIn(data)
      if (failure !== undefined) return outcome('failed', failure.message, failure.code)
      const piece = read(data, usage)
      usage = piece.counts ?? usage
      done ||= piece.isEnd === true
      pieces.push(piece)
    }
    return done ? outcome('complete') : outcome('failed', `The response ended before ${endName}.`)
  } catch {
    return signal.aborted
      ? outcome('stopped')
      : outcome('failed', 'Could not connect to the gateway, or lost the connection.')
  } finally {
    show()
  }
}

function isEventStream(response: Response): boolean {
  return (response.headers.get('content-type') ?? '').startsWith('text/event-stream')
}
