import { expect, it } from 'vitest'
import { oldBytesOver } from '../../test/support/old-memory.ts'
import { Heartbeat } from './heartbeat.ts'

const charge = { promptTokens: 1, completionTokens: 2, cachedTokens: 0, reasoningTokens: 0, cost: null }

it('tells of what is open at a beat, and how far it has come, at most so many at a time', () => {
  const heartbeat = new Heartbeat()
  heartbeat.begin('a', () => charge)
  heartbeat.begin('b', () => undefined)
  heartbeat.begin('c', () => {
    throw new Error('cannot tell')
  })
  heartbeat.begin('d', () => charge)
  expect(heartbeat.due).toBe(false)
  heartbeat.beat()
  heartbeat.end('a')
  heartbeat.end('a')
  expect([heartbeat.size, heartbeat.due]).toEqual([3, true])
  expect([...heartbeat.take(2), ...heartbeat.take(2)]).toEqual([
    { id: 'd', charge },
    { id: 'c', charge: undefined },
    { id: 'b', charge: undefined },
  ])
  expect(heartbeat.due).toBe(false)
})

it('holds nothing of a record that is closed', () => {
  const heartbeat = new Heartbeat()
  const begin = (nth: number) => {
    const held = new Array<number>(1_000).fill(nth + 0.5)
    heartbeat.begin(`${nth}`, () => (held.length === 0 ? charge : undefined))
  }
  for (let nth = 0; nth < 32; nth++) begin(nth)
  const grown = oldBytesOver(6_400, nth => {
    heartbeat.end(`${nth}`)
    begin(nth + 32)
  })
  // They held 52 MB.
  expect(grown).toBeLessThan(5_000_000)
})
