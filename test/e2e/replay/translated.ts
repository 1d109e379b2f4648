import { type Adjustment, createGateway, type Target, UpstreamError } from '@sluice/core'
import type { UpstreamRequest } from '@sluice/core/provider'
import { anthropic, bedrock, gemini, openaiCompatible } from '@sluice/providers'
import type { Exchange, ExchangeBody } from './exchanges.ts'

type Json = Readonly<Record<string, unknown>>

/** The outcome of a request for a vendor of another protocol. */
export interface Translated {
  /** 400 where the request is refused, and 200 where it reached the vendor. */
  readonly status: number
  /** What the vendor got. */
  readonly body: Json | undefined
  /** The message of a refusal. */
  readonly message: string | undefined
  readonly adjustments: readonly Adjustment[]
}

/** Translates requests. */
export type Translate = (body: object) => Promise<Translated>

/** What a translation did with a request, by kind, and what it should not have done. */
export interface Compared {
  /** What was reported as an adjustment, and what stands for the same to a model. */
  readonly known: readonly string[]
  /** Where the requests differ beyond that. */
  readonly unknown: readonly string[]
}

const apiKey = 'vendor-key'

/** One model of each family to which requests are translated. The one of Anthropic gets the model of the request. */
export const targets: Readonly<Record<string, (model: string) => Target>> = {
  chat: () => openaiCompatible({ name: 'chat', baseURL: 'http://127.0.0.1:9/v1', apiKey })('model'),
  anthropic: model => anthropic({ apiKey, speaks: [] })(model),
  gemini: () => gemini({ apiKey })('gemini-3-pro-preview'),
  bedrock: () => bedrock({ region: 'us-east-1', bearerToken: apiKey })('amazon.nova-pro-v1:0'),
}

/**
 * Returns a function that sends a request through a gateway to a model. Nothing leaves the process. It rejects with an `Error`
 * where the gateway failed.
 *
 * @param path - that of the dialect.
 */
export function translatingTo(
  target: (model: string) => Target,
  path: '/messages' | '/responses' = '/messages',
): Translate {
  const requests: UpstreamRequest[] = []
  let adjustments: readonly Adjustment[] = []
  const gateway = createGateway({
    authenticate: () => ({ id: 'ann' }),
    route: ({ model }) => [target(model)],
    maxAttempts: 1,
    breaker: false,
    transport: async request => {
      requests.push(request)
      throw new UpstreamError('There is no vendor.', { kind: 'unreachable' })
    },
    observe: event => {
      if (event.type === 'end') adjustments = event.adjustments
    },
  })
  return async body => {
    requests.length = 0
    adjustments = []
    const response = await gateway.fetch(`http://sluice.test/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    const [sent] = requests
    if (sent !== undefined) {
      const { body: bytes } = sent
      const json = typeof bytes === 'string' ? bytes : Buffer.from(bytes!).toString()
      return { status: 200, body: JSON.parse(json), message: undefined, adjustments }
    }
    if (response.status !== 400) throw new Error(`${response.status}: ${text}`)
    return { status: 400, body: undefined, message: JSON.parse(text).error.message, adjustments }
  }
}

/** Translates recorded requests. Returns `sent` or the message of the refusal of each, without indices. */
export async function outcomesOf(
  translate: Translate,
  exchanges: readonly Exchange[],
): Promise<readonly string[]> {
  const outcomes: string[] = []
  for (const { name, body } of exchanges) {
    const { message = 'sent' } = await translate(body).catch(error => {
      throw new Error(`${name}: ${error}`, { cause: error })
    })
    outcomes.push(message.replaceAll(/\[\d+\]/g, '[]'))
  }
  return outcomes
}

/** Translates recorded requests, and compares each that is sent with what it became. */
export async function comparedAll(
  translate: Translate,
  exchanges: readonly Exchange[],
  compare: (before: ExchangeBody, after: Json, adjustments: readonly Adjustment[]) => Compared,
): Promise<Compared> {
  const known: string[] = []
  const unknown: string[] = []
  for (const { name, body } of exchanges) {
    const { body: got, adjustments } = await translate(body)
    if (got === undefined) continue
    const compared = compare(body, got, adjustments)
    known.push(...compared.known)
    unknown.push(...compared.unknown.map(what => `${name}: ${what}`))
  }
  return { known, unknown }
}
