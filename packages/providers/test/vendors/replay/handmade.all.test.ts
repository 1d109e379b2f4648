import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectReplayed } from './expect-replayed.ts'
import { handmade } from './handmade.ts'
import { vendorNames } from './recordings.ts'
import { type Replay, replaying } from './replaying.ts'

describe.each(vendorNames)('%s, made by hand', vendor => {
  const own = handmade[vendor]
  let replay: Replay
  beforeAll(async () => {
    replay = await replaying(
      vendor,
      Object.fromEntries(own.map(({ name, expected }) => [name, expected.model])),
    )
  })
  afterAll(() => replay?.close())

  it('has names of its own', () => {
    expect(new Set(own.map(({ name }) => name)).size).toBe(own.length)
    expect(own.length).toBeGreaterThan(0)
  })

  it.each(own.map(made => [made.name, made] as const))('%s', async (name, { sent, stream, expected }) => {
    for (const streamed of stream === undefined ? [false, true] : [stream]) {
      const asking = { name, sent, splits: ['whole', { seed: 7 }, 'bytes'], stream: streamed } as const
      await expectReplayed(replay, asking, expected)
    }
  })
})
