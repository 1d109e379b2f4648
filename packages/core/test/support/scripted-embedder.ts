import type { EmbeddingInput, EmbeddingVector } from '../../src/contracts/embedding.ts'
import type { Adjustment, EmbedCall, EmbedReply, Target } from '../../src/contracts/provider.ts'
import type { Scripted } from './scripted-gateway.ts'
import { scripted, whole } from './scripted-gateway.ts'

export interface Embedder extends Pick<Scripted, 'target' | 'signals'> {
  /** The calls so far. */
  readonly calls: EmbedCall[]
}

interface EmbedderOptions {
  readonly name?: string
  readonly model?: string
  readonly maxInputs?: number
  readonly maxInputTokens?: number
  readonly adjustments?: readonly Adjustment[]
  readonly more?: Partial<Target>
}

type Answer = (call: EmbedCall, signal: AbortSignal, index: number) => EmbedReply | Promise<EmbedReply>

/** A provider that embeds in process: `answer` gets the call, its signal and how many there were before. */
export function embedder(answer: Answer = embedded, options: EmbedderOptions = {}): Embedder {
  const { name = 'embedder', model = 'embed-1', maxInputs, maxInputTokens, adjustments = [], more } = options
  const calls: EmbedCall[] = []
  const signals: AbortSignal[] = []
  const { target } = scripted(() => whole('generated'), {
    name,
    transport: async (_, signal) => {
      signals.push(signal)
      return { status: 200, headers: { get: () => null }, body: (async function* () {})() }
    },
    embed: {
      ...(maxInputs !== undefined && { maxInputs }),
      ...(maxInputTokens !== undefined && { maxInputTokens }),
      encode: call => {
        calls.push(call)
        return { method: 'POST', url: 'scripted:', headers: {}, body: String(calls.length - 1), adjustments }
      },
      decode: (_, call) => {
        const index = calls.indexOf(call)
        return answer(call, signals[index]!, index)
      },
    },
  })
  return { target: { ...target, model, ...more }, calls, signals }
}

/** One vector for each input, whose first number is the length of the input; a token for each input. */
export function embedded({ inputs }: Pick<EmbedCall, 'inputs'>): EmbedReply {
  return { vectors: inputs.map(vectorOf), promptTokens: inputs.length }
}

export function vectorOf(input: EmbeddingInput): EmbeddingVector {
  return { kind: 'json', text: `[${input.length},0.5]` }
}
