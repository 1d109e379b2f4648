import { createGateway, type EndEvent, type GatewayEvent, type GatewayOptions, models } from '@sluice/core'
import type { ChatRequest, PartialChunk, Provider, Reply } from '@sluice/core/provider'
import { onTestFinished } from 'vitest'

export const complete = (content: string, more: object = {}): Reply => ({
  kind: 'completion',
  completion: {
    choices: [{ index: 0, message: { content, ...more }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 2 },
  },
})

export const pieces = (...contents: readonly string[]): Reply =>
  stream(...contents.map(content => ({ content })))

type Delta = PartialChunk['choices'][number]['delta']

export function stream(...deltas: readonly Delta[]): Reply {
  const chunkOf = (delta: Delta, end: object = {}): PartialChunk => ({
    choices: [{ index: 0, delta, ...end }],
  })
  return {
    kind: 'stream',
    chunks: (async function* () {
      for (const delta of deltas) yield [chunkOf(delta)]
      yield [chunkOf({}, { finish_reason: 'stop' })]
    })(),
  }
}

/** A gateway until the test ends, whose model answers in this process. */
export function serving(
  answer: (input: ChatRequest, index: number) => Reply,
  options: Partial<GatewayOptions> = {},
) {
  const inputs: ChatRequest[] = []
  const events: GatewayEvent[] = []
  const provider: Provider = {
    name: 'fake',
    encode: ({ input }) => {
      inputs.push(input)
      return { method: 'POST', url: 'fake:', headers: {} }
    },
    transport: async () => ({ status: 200, headers: { get: () => null }, body: (async function* () {})() }),
    decode: () => answer(inputs.at(-1)!, inputs.length - 1),
  }
  const gateway = createGateway({
    authenticate: request => ({ id: request.headers.get('x-who') ?? 'ann' }),
    route: models({ m: { provider, model: 'upstream' } }),
    observe: event => events.push(event),
    retry: false,
    breaker: false,
    ...options,
  })
  onTestFinished(() => void gateway.close({ drainMs: 1 }))
  const post = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    gateway.fetch(
      new Request(`http://sluice.test/v1/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
        body: JSON.stringify({ model: 'm', ...body }),
      }),
    )
  const say = (content: string, more: object = {}, headers: Readonly<Record<string, string>> = {}) =>
    post('chat/completions', { messages: [{ role: 'user', content }], ...more }, headers)
  const warnings = () => events.filter(({ type }) => type === 'warning')
  const ends = () => events.filter((event): event is EndEvent => event.type === 'end')
  return { gateway, inputs, events, ends, warnings, post, say }
}

interface Completion {
  readonly choices: readonly {
    readonly message: Readonly<Record<string, unknown>> & { readonly content: string }
  }[]
}

export async function messageOf(response: Response): Promise<Completion['choices'][number]['message']> {
  const { choices } = (await response.json()) as Completion
  return choices[0]!.message
}

/** Returns the deltas of a stream. */
export async function deltasOf(response: Response): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const body = await response.text()
  return body
    .split('\n\n')
    .filter(event => event.startsWith('data: {'))
    .map(event => JSON.parse(event.slice(6)) as { choices?: { delta: Record<string, unknown> }[] })
    .flatMap(({ choices = [] }) => choices.map(({ delta }) => delta))
}

export async function streamedText(response: Response): Promise<string> {
  return (await deltasOf(response)).map(({ content }) => String(content ?? '')).join('')
}

export async function errorOf(response: Response): Promise<Readonly<Record<string, unknown>>> {
  return ((await response.json()) as { error: Record<string, unknown> }).error
}
