import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { countsOf, type Errand, errandIn, token } from './errand.ts'

/** What the upstream saw of one request. */
export interface UpstreamLog {
  readonly errand: Errand
  /** How often it came. */
  asked: number
  /** Of its last time: how many tokens were sent, and whether all that belongs to the answer was. */
  sent: number
  /** When the first of them was, in milliseconds of `performance.now()`. */
  sentFrom: number
  finished: boolean
}

/** A model that does what each request tells it to, and writes down what it did. */
export class Upstream implements AsyncDisposable {
  readonly logs = new Map<string, UpstreamLog>()
  readonly #server: Server
  #live = 0
  #mostLive = 0
  readonly faults: string[] = []

  private constructor() {
    this.#server = createServer({ noDelay: true, keepAliveTimeout: 60_000 }, (request, response) => {
      response.on('error', () => {})
      text(request)
        .then(body => this.#serve(errandIn(body), response))
        // A request that breaks off was never asked.
        .catch(error => {
          if (request.complete) this.faults.push(`upstream: ${String(error)}`)
        })
    })
  }

  static async start(): Promise<Upstream> {
    const upstream = new Upstream()
    await new Promise<void>(resolve => upstream.#server.listen(0, '127.0.0.1', resolve))
    return upstream
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** The most answers that were under way at once. */
  get mostLive(): number {
    return this.#mostLive
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise(resolve => this.#server.close(resolve))
    this.#server.closeAllConnections()
    await closed
  }

  async #serve(errand: Errand, response: ServerResponse): Promise<void> {
    const log = this.logs.get(errand.mark) ?? {
      errand,
      asked: 0,
      sent: 0,
      sentFrom: Number.POSITIVE_INFINITY,
      finished: false,
    }
    this.logs.set(errand.mark, log)
    log.asked++
    log.sent = 0
    log.sentFrom = Number.POSITIVE_INFINITY
    this.#mostLive = Math.max(this.#mostLive, ++this.#live)
    response.once('close', () => this.#live--)
    await sleep(errand.paceMs)
    if (errand.does === 'reset') response.socket?.resetAndDestroy()
    else if (errand.does === 'refuse') refuse(errand, response)
    else if (errand.stream) await stream(errand, response, log)
    else await whole(errand, response, log)
  }
}

function refuse({ tokens }: Errand, response: ServerResponse): void {
  const error = { message: 'busy', type: 'server_error', param: null, code: null }
  response.writeHead(tokens % 2 === 0 ? 500 : 503, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error }))
}

async function stream(errand: Errand, response: ServerResponse, log: UpstreamLog): Promise<void> {
  const { mark, tokens, paceMs, does } = errand
  const event = (more: object) => {
    const head = { id: mark, object: 'chat.completion.chunk', created: 1, model: 'its-model' }
    response.write(`data: ${JSON.stringify({ ...head, ...more })}\n\n`)
  }
  const last = does === 'cut' ? Math.floor(tokens / 2) : tokens
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  while (log.sent < last) {
    if (response.destroyed) return
    const delta = { role: 'assistant', content: token }
    if (log.sent++ === 0) log.sentFrom = performance.now()
    event({ choices: [{ index: 0, delta, finish_reason: null }] })
    await sleep(paceMs)
  }
  if (response.destroyed) return
  if (does === 'cut') {
    response.destroy()
    return
  }
  // Written down first: the other side may have read it before this goes on.
  log.finished = true
  event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  event({ choices: [], usage: usageOf(errand) })
  response.end('data: [DONE]\n\n')
}

async function whole(errand: Errand, response: ServerResponse, log: UpstreamLog): Promise<void> {
  const { mark, tokens, paceMs, does } = errand
  await sleep(tokens * paceMs)
  // A timer that is late runs before what has arrived is read, such as the end of the connection.
  await new Promise(resolve => setImmediate(resolve))
  if (response.destroyed) return
  const message = { role: 'assistant', content: token.repeat(tokens) }
  const body = JSON.stringify({
    id: mark,
    object: 'chat.completion',
    created: 1,
    model: 'its-model',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: usageOf(errand),
  })
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  if (does === 'cut') {
    response.write(body.slice(0, body.length / 2), () => response.destroy())
    return
  }
  log.sent = tokens
  log.sentFrom = performance.now()
  log.finished = true
  response.end(body)
}

function usageOf(errand: Errand): object {
  const { promptTokens, completionTokens } = countsOf(errand)
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  }
}
