import type { FetchContext } from '@sluice/core'
import { type GatewayResponse, gatewayResponseKey } from '@sluice/core/adapter'
import { ClientRequest, requestBody } from './client-request.ts'
import type { BegunRequest, History, RequestEnd } from './history.ts'
import type { Scheduler } from './scheduler.ts'
import { ProcessCrashed, type SimulatedProcess } from './simulated-process.ts'
import { ClientArrivals, type PlannedRequest, type Traffic } from './traffic.ts'

/** A gateway that clients send requests to, as long as its process lives. */
export interface ReachableGateway {
  readonly process: SimulatedProcess
  /** Sends a request, and returns the id that the gateway gives it. */
  readonly fetch: (
    request: Request,
    context: FetchContext,
  ) => readonly [response: Promise<Response>, requestId: string]
  readonly basePath: string
}

/** All clients of a simulation: they send what the traffic says, read the answers, retry and disconnect. */
export class Clients {
  /** Requests that were sent, without retries. */
  requests = 0
  #active = 0
  #groups: number
  readonly #traffic: Traffic
  readonly #gateways: () => readonly ReachableGateway[]
  readonly #scheduler: Scheduler
  readonly #history: History
  readonly #random: () => number
  readonly #headers = new Map<string, Headers>()

  /** @param gateways returns those whose processes live */
  constructor(
    traffic: Traffic,
    gateways: () => readonly ReachableGateway[],
    streams: (name: string) => () => number,
    scheduler: Scheduler,
    history: History,
  ) {
    this.#traffic = traffic
    this.#gateways = gateways
    this.#scheduler = scheduler
    this.#history = history
    this.#random = streams('clients')
    this.#groups = traffic.clients.length
    for (const [index, group] of traffic.clients.entries()) {
      this.#arrive(new ClientArrivals(group, index, traffic.durationMs, streams(`traffic ${index}`)))
    }
  }

  /** Whether every request has arrived and ended. */
  get done(): boolean {
    return this.#groups === 0 && this.#active === 0
  }

  #arrive(arrivals: ClientArrivals): void {
    const at =
      this.requests >= (this.#traffic.maxRequests ?? Number.POSITIVE_INFINITY) ? undefined : arrivals.next()
    if (at === undefined) {
      this.#groups--
      return
    }
    this.#scheduler.after(at - this.#scheduler.now, () => {
      if (this.requests < (this.#traffic.maxRequests ?? Number.POSITIVE_INFINITY)) {
        this.#active++
        void this.#send(arrivals.request(), this.requests++, 0)
      }
      this.#arrive(arrivals)
    })
  }

  /** Sends a request, or a retry of it, reads the answer, and decides what comes next. */
  async #send(planned: PlannedRequest, request: number, attempt: number): Promise<void> {
    // A load balancer that knows which gateways run, and nothing else of them.
    const gateways = this.#gateways()
    const reached = gateways[Math.floor(this.#random() * gateways.length)]
    const at = this.#scheduler.now
    const { group, clients, key } = planned
    const answer = new ReadAnswer(this.#scheduler, group.dialect === 'messages')
    if (reached === undefined) {
      const requestId = `unreached_${request}.${attempt}`
      const identity = { request, attempt, at, clients, key: key.id, requestId, gateway: -1 }
      this.#history.requestBegan(identity)
      this.#end(planned, identity, answer)
      return
    }
    const { disconnectsAfterMs } = planned
    const path = group.dialect === 'messages' ? '/messages' : '/chat/completions'
    const sent = new ClientRequest(
      `http://simulated${reached.basePath}${path}`,
      this.#headersOf(key.key),
      requestBody(planned, request, attempt),
    )
    const disconnects =
      disconnectsAfterMs === undefined
        ? undefined
        : this.#scheduler.after(disconnectsAfterMs, () => sent.disconnect())
    const [pending, requestId] = reached.fetch(sent as unknown as Request, {
      body: sent.hostBody,
      plainResponses: true,
    })
    const { gateway } = reached.process
    const identity = { request, attempt, at, clients, key: key.id, requestId, gateway }
    this.#history.requestBegan(identity)
    try {
      await reached.process.untilCrash(answer.read(sent, pending))
    } catch (error) {
      if (sent.disconnected) answer.end = 'disconnected'
      else if (!(error instanceof ProcessCrashed)) {
        this.#history.fail(error instanceof Error ? error : new Error(String(error)))
      }
    }
    disconnects?.cancel()
    this.#end(planned, identity, answer)
  }

  /** Records the end of an attempt, and decides whether there is another one. */
  #end(planned: PlannedRequest, identity: BegunRequest, answer: ReadAnswer): void {
    const { request, attempt, at, clients, key, requestId, gateway } = identity
    const { model, stream, group } = planned
    const { status, end, code, firstAt, retryAfterMs } = answer
    this.#history.record({
      type: 'request',
      request,
      attempt,
      at,
      clients,
      key,
      requestId,
      gateway,
      ms: this.#scheduler.now - at,
      firstMs: firstAt === undefined ? undefined : firstAt - at,
      model,
      stream,
      status,
      end,
      code,
    })
    const { retries } = group
    const isRetried = end === 'failed' && (status === 0 || status === 200 || status === 429 || status >= 500)
    if (retries === undefined || !isRetried || attempt >= retries.max) {
      this.#active--
      return
    }
    const { baseMs = 500, maxMs = 8_000, obeysRetryAfter = true } = retries
    const backoff = this.#random() * Math.min(maxMs, baseMs * 2 ** attempt)
    const wait = obeysRetryAfter && retryAfterMs !== undefined ? retryAfterMs + backoff : backoff
    this.#scheduler.after(wait, () => void this.#send(planned, request, attempt + 1))
  }

  #headersOf(key: string): Headers {
    const known = this.#headers.get(key)
    if (known !== undefined) return known
    const headers = new Headers({ 'content-type': 'application/json', authorization: `Bearer ${key}` })
    this.#headers.set(key, headers)
    return headers
  }
}

/** An answer as a client reads it. */
class ReadAnswer {
  status = 0
  end: RequestEnd = 'failed'
  code: string | undefined
  firstAt: number | undefined
  retryAfterMs: number | undefined
  readonly #scheduler: Scheduler
  readonly #endMark: string

  constructor(scheduler: Scheduler, isMessages: boolean) {
    this.#scheduler = scheduler
    this.#endMark = isMessages ? 'event: message_stop' : 'data: [DONE]'
  }

  async read(request: ClientRequest, pending: Promise<Response>): Promise<void> {
    const response = await pending
    if (request.disconnected) {
      this.end = 'disconnected'
      return
    }
    const plain = (response as { readonly [gatewayResponseKey]?: GatewayResponse })[gatewayResponseKey]
    const answer = plain ?? {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    }
    const { status, body } = answer
    this.status = status
    if (status !== 200) this.#readRetryAfter(answer.headers['retry-after'])
    if (typeof body === 'string') this.#readText(body)
    else await this.#readStream(request, body)
  }

  #readRetryAfter(seconds: string | undefined): void {
    const after = Number(seconds)
    if (Number.isFinite(after)) this.retryAfterMs = after * 1_000
  }

  #readText(body: string): void {
    if (this.status === 200) {
      this.firstAt = this.#scheduler.now
      this.end = 'completed'
    } else this.code = codeIn(body)
  }

  async #readStream(request: ClientRequest, body: AsyncIterable<string>): Promise<void> {
    let tail = ''
    try {
      for await (const piece of body) {
        this.firstAt ??= this.#scheduler.now
        tail = (tail + piece).slice(-2_000)
        if (request.disconnected) break
      }
    } catch (error) {
      if (!request.disconnected) throw error
    }
    if (request.disconnected) this.end = 'disconnected'
    else if (tail.includes(this.#endMark)) this.end = 'completed'
    else this.code = codeIn(tail)
  }
}

function codeIn(text: string): string | undefined {
  return /"code":"([^"]+)"/.exec(text)?.[1] ?? /"error":\{"type":"([^"]+)"/.exec(text)?.[1]
}
