import { type Adjustment, createGateway, type Target, UpstreamError } from '@sluice/core'
import type { UpstreamRequest } from '@sluice/core/provider'
import { anthropic, bedrock, gemini, openaiCompatible } from '@sluice/providers'

/** What becomes of a request for a vendor of another protocol. */
export interface Translated {
  /** 400 where the request is refused, and 200 where it reached the vendor. */
  readonly status: number
  /** What the vendor got. */
  readonly body: Readonly<Record<string, unknown>> | undefined
  /** The message of a refusal. */
  readonly message: string | undefined
  readonly adjustments: readonly Adjustment[]
}

/** Translates requests. */
export type Translate = (body: object) => Promise<Translated>

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
