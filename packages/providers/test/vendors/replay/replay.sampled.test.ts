import type { Split } from '@sluice/testing'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { expectReplayed } from './expect-replayed.ts'
import { expectations } from './expected.ts'
import { longestText, textsWithin } from './held.ts'
import { present, type Recording, recordings, vendorNames } from './recordings.ts'
import { type Replay, replaying } from './replaying.ts'

/** Byte for byte takes long: over a socket, what is longer than this comes in random pieces only. */
const mostBytes = 12_000

describe.skipIf(!present)('recorded answers (skipped where ../shared/fixtures is absent)', () => {
  it('have an expectation each, and each expectation has its recording', () => {
    const names = recordings.map(({ name }) => name)
    expect([...expectations.keys()].sort()).toEqual(names.sort())
  })

  it('are not copied: no expectation has a long text', () => {
    for (const [name, expected] of expectations) {
      for (const text of textsWithin(expected)) expect(text.length, name).toBeLessThanOrEqual(longestText)
    }
  })

  describe.each(vendorNames)('%s', vendor => {
    const own = recordings.filter(recording => recording.vendor === vendor)
    let replay: Replay
    beforeAll(async () => {
      replay = await replaying(
        vendor,
        Object.fromEntries(own.map(({ name }) => [name, expectations.get(name)?.model])),
      )
    })
    afterAll(() => replay?.close())

    it.each(own.map(recording => [recording.name, recording] as const))('%s', async (name, recording) => {
      const expected = expectations.get(name)
      expect(expected, 'its expectation').toBeDefined()
      const { status, contentType, bytes, kind } = recording
      const sent = { status, headers: { 'content-type': contentType }, bytes }
      const splits = splitsOf(recording)
      for (const stream of kind === 'error' ? [false, true] : [kind === 'stream']) {
        await expectReplayed(replay, { name, sent, splits, stream }, expected!)
      }
    })
  })
})

function splitsOf({ bytes }: Recording): Split[] {
  if (!inject('exhaustive')) return ['whole', { seed: 8, max: 700 }]
  const splits: Split[] = ['whole', { seed: 7 }, { seed: 8, max: 700 }]
  // Pieces of some bytes each are too many where an answer is very long.
  if (bytes.length > 20 * mostBytes) return ['whole', { seed: 8, max: 700 }]
  return bytes.length <= mostBytes ? [...splits, 'bytes'] : splits
}
