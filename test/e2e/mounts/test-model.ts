import type { Target, Transport } from '@sluice/core'
import type { Call, PartialChunk, Provider, UpstreamResponse } from '@sluice/core/provider'

/** What a call of the test model has seen. */
export interface SeenCall {
  readonly signal: AbortSignal
  readonly text: string
  /** Bytes that were taken from the upstream so far. */
  bytes: number
}

/**
 * A model in the same process that does what the user's message says: `no head`, `no first token`,
 * `no second token`, `flood`; or else repeats it.
 */
export interface TestModel {
  readonly target: Target
  readonly calls: readonly SeenCall[]
  /** Resolves when there was an `n`th call. */
  waitForCall(n?: number): Promise<SeenCall>
}

const word = `${'x'.repeat(16_383)} `

/** Makes a test model. Its wire protocol is text: each piece of the body is a piece of the answer. */
export function testModel(): TestModel {
  const calls: SeenCall[] = []
  const waiting = new Set<() => void>()

  const transport: Transport = async (request, signal) => {
    const { text } = JSON.parse(String(request.body)) as { text: string }
    const call: SeenCall = { signal, text, bytes: 0 }
    calls.push(call)
    for (const look of waiting) look()
    if (text === 'no head') await aborted(signal)
    return { status: 200, headers: new Headers(), body: counted(piecesOf(text, signal), call) }
  }
  const provider: Provider = { name: 'test', encode, decode, transport }
  return {
    target: { provider, model: 'test' },
    calls,
    waitForCall: (n = 1) =>
      new Promise(resolve => {
        const look = () => {
          const call = calls[n - 1]
          if (call === undefined) return
          waiting.delete(look)
          resolve(call)
        }
        waiting.add(look)
        look()
      }),
  }
}

function encode({ input }: Call) {
  const last = input.messages.at(-1)
  const text = typeof last?.content === 'string' ? last.content : JSON.stringify(last?.content)
  return { method: 'POST', url: 'test://model', headers: {}, body: JSON.stringify({ text }) } as const
}

async function decode(response: UpstreamResponse, { input }: Call) {
  if (input.stream === true) return { kind: 'stream', chunks: chunks(response.body) } as const
  const content = await response.text()
  const choices = [{ index: 0, message: { content }, finish_reason: 'stop' }] as const
  return { kind: 'completion', completion: { choices } } as const
}

async function* chunks(body: AsyncIterable<Uint8Array>): AsyncGenerator<readonly PartialChunk[]> {
  for await (const piece of body) {
    yield [{ choices: [{ index: 0, delta: { content: Buffer.from(piece).toString() } }] }]
  }
  yield [{ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }]
}

async function* piecesOf(text: string, signal: AbortSignal): AsyncGenerator<string> {
  if (text === 'no first token') await aborted(signal)
  if (text === 'flood') {
    while (!signal.aborted) yield word
    return
  }
  const words = text.split(/(?<= )/)
  for (const [index, one] of words.entries()) {
    if (text === 'no second token' && index > 0) await aborted(signal)
    yield one
  }
}

async function* counted(pieces: AsyncIterable<string>, call: SeenCall): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece)
    call.bytes += bytes.length
    yield bytes
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(signal.reason)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}
