import { expect, it } from 'vitest'
import { usageOf } from './usage-metadata.ts'

const modality = (modality: string, tokenCount: number) => ({ modality, tokenCount })

it.each<[usage: object, expected: object | undefined]>([
  [{}, undefined],
  [{ totalTokenCount: 7 }, undefined],
  [{ promptTokenCount: 5 }, { prompt_tokens: 5, completion_tokens: 0 }],
  [{ candidatesTokenCount: 3 }, { completion_tokens: 3 }],
  [{ thoughtsTokenCount: 2 }, { completion_tokens: 2, reasoning_tokens: 2 }],
  [
    { candidatesTokenCount: 9, candidatesTokensDetails: [modality('TEXT', 1), modality('AUDIO', 8)] },
    { completion_tokens: 9, completion_audio_tokens: 8 },
  ],
  [
    { promptTokenCount: 5, promptTokensDetails: [modality('TEXT', 5)], candidatesTokensDetails: null },
    { prompt_tokens: 5, completion_tokens: 0 },
  ],
])('the counts of %j', (usage, expected) => {
  const told = usageOf({ ...usage })
  expect(told && Object.fromEntries(Object.entries(told).filter(([, count]) => count !== undefined))).toEqual(
    expected,
  )
})
