import { createHmac } from 'node:crypto'
import type { Alert } from './alert.ts'
import type { AlertsClock } from './alerts-clock.ts'
import type { WebhookOptions } from './alerts-options.ts'
import { PrivateAddressError, postJson } from './post-json.ts'

/** Why an alert was not delivered. It names neither the URL nor what the receiver answered. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError'
}

/** How many attempts follow the first one, and how much longer the wait before each is. */
const maxRetries = 3
const backoffFactor = 4

/** One webhook: signs alerts, sends each in a few attempts, and gives up after its deadline. */
export class Webhook {
  readonly #options: WebhookOptions
  readonly #url: URL
  readonly #clock: AlertsClock
  readonly #random: () => number
  readonly #closing = new AbortController()

  constructor(options: WebhookOptions, clock: AlertsClock, random: () => number) {
    this.#options = options
    this.#url = new URL(options.url)
    this.#clock = clock
    this.#random = random
  }

  /** Sends an alert. Rejects with `DeliveryError` if it was not accepted with a 2xx. */
  async send(alert: Alert): Promise<void> {
    const deadline = this.#clock.now() + (this.#options.deadlineMs ?? 60_000)
    const body = JSON.stringify(alert)
    for (let attempt = 0; ; attempt++) {
      const result = await this.#attempt(alert.id, body, deadline)
      if (result === undefined) return
      const waitMs =
        (this.#options.backoffMs ?? 1_000) * backoffFactor ** attempt * (0.75 + this.#random() * 0.5)
      const isOver = attempt === maxRetries || this.#clock.now() + waitMs >= deadline
      if (isOver || !result.mayRetry || this.#closing.signal.aborted) throw new DeliveryError(result.reason)
      await this.#sleep(waitMs)
    }
  }

  /** Cuts off what is being sent. */
  close(): void {
    this.#closing.abort()
  }

  /** Returns why an attempt failed; `undefined` if it did not. */
  async #attempt(
    id: string,
    body: string,
    deadline: number,
  ): Promise<{ readonly reason: string; readonly mayRetry: boolean } | undefined> {
    const { timeoutMs = 5_000, allowPrivate = false, headers = {} } = this.#options
    const ms = Math.max(1, Math.min(timeoutMs, deadline - this.#clock.now()))
    const ending = new AbortController()
    const cancel = this.#clock.setTimer(ms, () => ending.abort())
    const close = () => ending.abort()
    this.#closing.signal.addEventListener('abort', close, { once: true })
    try {
      const status = await postJson(
        {
          url: this.#url,
          headers: { ...headers, ...this.#signature(body), 'x-sluice-alert-id': id },
          body,
          allowPrivate,
        },
        ending.signal,
      )
      if (status >= 200 && status < 300) return undefined
      return {
        reason: `The webhook answered with ${status}.`,
        mayRetry: status === 408 || status === 429 || status >= 500,
      }
    } catch (error) {
      if (error instanceof PrivateAddressError) return { reason: error.message, mayRetry: false }
      if (ending.signal.aborted)
        return { reason: `The webhook did not answer within ${ms} ms.`, mayRetry: true }
      const code = (error as { code?: unknown }).code
      const why = typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? code : 'an error'
      return { reason: `The webhook could not be reached (${why}).`, mayRetry: true }
    } finally {
      cancel()
      this.#closing.signal.removeEventListener('abort', close)
    }
  }

  /** With the time, so that an old alert cannot be sent again by whoever has read it. */
  #signature(body: string): Readonly<Record<string, string>> {
    const { secret } = this.#options
    if (secret === undefined) return {}
    const time = String(Math.floor(this.#clock.now() / 1_000))
    const digest = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
    return { 'x-sluice-timestamp': time, 'x-sluice-signature': `v1=${digest}` }
  }

  #sleep(ms: number): Promise<void> {
    return new Promise(resolve => {
      const { signal } = this.#closing
      const end = () => {
        cancel()
        signal.removeEventListener('abort', end)
        resolve()
      }
      const cancel = this.#clock.setTimer(ms, end)
      signal.addEventListener('abort', end, { once: true })
    })
  }
}
