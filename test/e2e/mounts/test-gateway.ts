import {
  apiKeys,
  createGateway,
  type Gateway,
  type GatewayEvent,
  type GatewayOptions,
  models,
} from '@sluice/core'
import { onTestFinished } from 'vitest'
import type { Mount, Mounted } from './mounts.ts'
import { type TestModel, testModel } from './test-model.ts'

/** A gateway with one key (`test-key`) and one model (`m`), and what happened in it. */
export interface TestGateway {
  readonly gateway: Gateway
  readonly model: TestModel
  readonly events: readonly GatewayEvent[]
}

export function testGateway(options: Partial<GatewayOptions> = {}): TestGateway {
  const model = testModel()
  const events: GatewayEvent[] = []
  const gateway = createGateway({
    authenticate: apiKeys([{ id: 'tester', key: 'test-key' }]),
    route: models({ m: model.target }),
    observe: event => events.push(event),
    ...options,
  })
  return { gateway, model, events }
}

/** Mounts something until the test ends. */
export async function during(mounting: Promise<Mounted>): Promise<Mounted> {
  const it = await mounting
  onTestFinished(() => it.close())
  return it
}

/** A test gateway on a mount, until the test ends. */
export async function on(
  mount: Mount,
  options: Partial<GatewayOptions> = {},
): Promise<TestGateway & Mounted> {
  const made = testGateway(options)
  return { ...made, ...(await during(mount(made.gateway))) }
}

export const authorized = { authorization: 'Bearer test-key', 'content-type': 'application/json' }

/** The body of a request whose user says one thing. */
export function saying(text: string, more: object = {}): string {
  return JSON.stringify({ model: 'm', messages: [{ role: 'user', content: text }], ...more })
}

/** Asks for a completion; unless told otherwise a whole one. */
export function complete(
  baseURL: string,
  body = saying('hello there'),
  init: RequestInit = {},
): Promise<Response> {
  return fetch(`${baseURL}/chat/completions`, { method: 'POST', headers: authorized, body, ...init })
}

/** The text of an answer, of a whole one or of a stream that ended well. */
export async function contentOf(response: Response): Promise<string> {
  const text = await response.text()
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    return JSON.parse(text).choices[0].message.content
  }
  if (!text.endsWith('data: [DONE]\n\n')) throw new Error(`the stream broke off: ${text}`)
  const events = text.split('\n\n').filter(event => event.startsWith('data: {'))
  return events.map(event => JSON.parse(event.slice(6)).choices[0]?.delta.content ?? '').join('')
}

/** A request as bytes, for a raw client. */
export function rawAsk(base: string, body: string): string {
  const head = `POST ${base}/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer test-key`
  return `${head}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/**
 * How many milliseconds the first event of a stream takes; the best of three, as the machine may be busy. The
 * model says one word and waits: an answer that is held back would never come.
 */
export async function firstEventMs(baseURL: string, headers: Record<string, string> = {}): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < 3; i++) {
    const left = new AbortController()
    const start = performance.now()
    const body = saying('no second token', { stream: true })
    const answer = await complete(baseURL, body, {
      headers: { ...authorized, ...headers },
      signal: left.signal,
    })
    const reader = answer.body!.getReader()
    let text = ''
    while (!text.includes('"no "')) text += Buffer.from((await reader.read()).value!).toString()
    times.push(performance.now() - start)
    left.abort()
  }
  return Math.min(...times)
}
