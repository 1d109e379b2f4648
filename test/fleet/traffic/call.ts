// What the clients, the upstreams and the comparison of the records agree on.

/** One request: who sends it, what the upstream answers, and what the client does. */
export interface Call {
  /** In every record. No other request has it. */
  readonly mark: string
  readonly tenant: string
  readonly stream: boolean
  /** Tokens of the answer, and the milliseconds between them. */
  readonly tokens: number
  readonly paceMs: number
  /** After how many tokens the client disconnects. */
  readonly leavesAfter?: number
  /** What is wrong with the request; the gateway refuses it. */
  readonly invalid?: 'json' | 'key' | 'model'
}

/** US dollars per million tokens. */
export const price = { input: 1, output: 2 } as const

/** Billionths of a dollar. */
export function nanoDollarsOf(promptTokens: number, completionTokens: number): number {
  return 1_000 * (price.input * promptTokens + price.output * completionTokens)
}

/** What the upstream counts: nothing that could be an estimate. */
export function usageOf({ tokens }: Pick<Call, 'tokens'>): {
  promptTokens: number
  completionTokens: number
} {
  return { promptTokens: 500 + (tokens % 10), completionTokens: tokens + 3 }
}

/** One token of an answer: its position proves that none is missing. */
export function tokenAt(index: number): string {
  return `t${index} `
}

export function textOf({ tokens }: Pick<Call, 'tokens'>): string {
  return Array.from({ length: tokens }, (_, index) => tokenAt(index)).join('')
}

/** The request's body. It holds the call, which the upstream reads. */
export function bodyOf(call: Call): string {
  const { mark, stream, tokens, invalid } = call
  const body = JSON.stringify({
    model: invalid === 'model' ? 'unknown' : 'm',
    messages: [{ role: 'user', content: JSON.stringify(call) }],
    metadata: { mark },
    max_completion_tokens: tokens + 50,
    stream,
    ...(stream && { stream_options: { include_usage: true } }),
  })
  return invalid === 'json' ? body.slice(0, -1) : body
}

/** The call of a request that has reached the upstream. */
export function callIn(body: string): Call {
  const { messages } = JSON.parse(body) as { messages: { content: string }[] }
  return JSON.parse(messages[0]?.content ?? '') as Call
}

/** What stays charged of a request that is never settled: its prompt, at a token for three bytes of the body. */
export function floorOf(call: Call): number {
  return nanoDollarsOf(Math.ceil(Buffer.byteLength(bodyOf(call)) / 3), 0)
}
