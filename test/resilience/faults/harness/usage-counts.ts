import type { EndEvent } from '@sluice/core'
import { expect } from 'vitest'
import type { SaidEvent } from '../../../../packages/providers/test/vendors/properties/answer-streams.ts'
import type { Wire } from '../../../../packages/providers/test/vendors/properties/wire.ts'

/** An event of which the data is given as text. */
export interface TextEvent extends SaidEvent {
  readonly text: string
}

/** Events in which every count of tokens is this JSON text instead. */
export function withCounts(wire: Wire, events: readonly SaidEvent[], count: string): TextEvent[] {
  return events.map(({ name, payload }) => {
    const json = typeof payload === 'string' ? payload : JSON.stringify(payload)
    const text = json.replace(/"(\w*[tT]oken\w*)":\d+/g, (_, key: string) => `"${key}":${count}`)
    return { name, text, payload: wire === 'converse' ? Buffer.from(text) : text }
  })
}

/** Holds a record to whole numbers that add up and are called a guess, and the caller was told the same. */
export function expectCounted({ usage, usageEstimated }: EndEvent, told: unknown): void {
  expect(usageEstimated).toBe(true)
  expect(usage).toEqual(told)
  const { prompt_tokens_details, completion_tokens_details, ...counts } = usage!
  for (const count of Object.values({ ...counts, ...prompt_tokens_details, ...completion_tokens_details })) {
    expect(Number.isSafeInteger(count) && count >= 0, JSON.stringify(usage)).toBe(true)
  }
  expect(counts.prompt_tokens).toBeGreaterThan(0)
  expect(counts.completion_tokens).toBeGreaterThan(0)
  expect(counts.total_tokens).toBe(counts.prompt_tokens + counts.completion_tokens)
}
