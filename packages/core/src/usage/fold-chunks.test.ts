import { expect, it } from 'vitest'
import type { PartialChunk, PartialChunkChoice } from '../contracts/provider.ts'
import { foldChunks } from './fold-chunks.ts'

const chunk = (choice: Omit<PartialChunkChoice, 'index'>): PartialChunk => ({
  choices: [{ index: 0, ...choice }],
})
const logprob = (token: string) => ({ token, logprob: 0, bytes: null, top_logprobs: [] })
const annotation = (n: number) => ({ n })

it('joins the lists of a choice in order, and leaves those of the chunks as they are', () => {
  const chunks = [1, 2, 3].map(n =>
    chunk({
      delta: { content: String(n), annotations: [annotation(n)], reasoning_details: [{ n }] },
      logprobs: { content: [logprob(String(n))], refusal: null },
    }),
  )
  const before = structuredClone(chunks)
  const { choices } = foldChunks(chunks)
  expect(choices).toEqual([
    {
      index: 0,
      message: {
        content: '123',
        annotations: [1, 2, 3].map(annotation),
        reasoning_details: [{ n: 1 }, { n: 2 }, { n: 3 }],
      },
      logprobs: { content: ['1', '2', '3'].map(logprob), refusal: null },
      finish_reason: null,
    },
  ])
  expect(chunks).toEqual(before)
})

it('takes linear time', () => {
  const chunks = Array.from({ length: 30_000 }, (_, n) =>
    chunk({
      delta: { annotations: [annotation(n)] },
      logprobs: { content: [logprob('a')], refusal: null },
    }),
  )
  const from = performance.now()
  expect(foldChunks(chunks).choices[0]!.message.annotations).toHaveLength(30_000)
  expect(performance.now() - from).toBeLessThan(1_000)
})
