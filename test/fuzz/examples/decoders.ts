import type { DecoderInput } from '../decoders/decoder-target.ts'

const usage = { prompt: 9, cached: 2, output: 7, thinking: 3 }
const telling = { status: 200, type: undefined, form: 'asked', bytes: undefined } as const
const plan = {
  thinking: undefined,
  text: '.',
  calls: [],
  end: 'done',
  stopSequence: undefined,
  usage,
} as const

/** What was once told differently by how its bytes were read: a choice that cannot be, after one that can. */
export const decoderExamples: readonly DecoderInput[] = Array.from({ length: 6 }, (_, by) => ({
  which: 0,
  asking: { stream: true, includeUsage: false, rest: {} },
  recipe: { plan: { ...plan, calls: [] }, changes: [{ act: 'number', at: 1, by, token: '129' }], telling },
  sizes: [1],
  again: 0,
}))
