import { expect, it } from 'vitest'
import { systemClock } from '../clock/clock.ts'
import { Deadlines } from './deadlines.ts'
import { watchResponse } from './watch-response.ts'

function answering(parts: readonly Uint8Array[]) {
  const deadlines = new Deadlines(
    { firstByteMs: 1_000, responseMs: 1_000, idleMs: 1_000 },
    systemClock.monotonic() + 1_000,
    systemClock,
    () => {},
  )
  const body = (async function* () {
    yield* parts
  })()
  return watchResponse({ status: 200, headers: new Headers(), body }, deadlines)
}

it('hands on a small read as it is, and a large one in parts of at most 16 KiB', async () => {
  const large = Uint8Array.from({ length: 40_000 }, (_, at) => at % 251)
  const small = Uint8Array.of(1, 2, 3)
  const reads: Uint8Array[] = []
  for await (const read of answering([small, large, small]).body) reads.push(read)
  expect(reads.map(({ length }) => length)).toEqual([3, 16_384, 16_384, 7_232, 3])
  expect(Buffer.concat(reads).equals(Buffer.concat([small, large, small]))).toBe(true)
})

it('reads a whole text, also where a part ends within a character', async () => {
  const text = 'a€'.repeat(20_000)
  expect(await answering([new TextEncoder().encode(text)]).text()).toBe(text)
  expect(await answering([...new TextEncoder().encode('a€b')].map(byte => Uint8Array.of(byte))).text()).toBe(
    'a€b',
  )
  expect(await answering([]).text()).toBe('')
  expect(await answering([Uint8Array.of(0x61, 0xe2)]).text()).toBe('a\ufffd')
})
