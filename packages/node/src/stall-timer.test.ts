import { expect, it } from 'vitest'
import { stallTimer } from './stall-timer.ts'

/** Holds the process up, as a machine does that sleeps. */
function holdUp(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

it('expires when its time is over', async () => {
  const start = performance.now()
  await new Promise<void>(resolve => stallTimer(30, resolve))
  expect(performance.now() - start).toBeGreaterThanOrEqual(28)
})

it('hears what came while the process stood still before it expires', async () => {
  const heard: string[] = []
  const expired = new Promise<void>(resolve => {
    stallTimer(20, () => {
      heard.push('expired')
      resolve()
    })
  })
  holdUp(400)
  // What the client sent meanwhile is read in the next turns of the event loop.
  setTimeout(() => heard.push('came'), 5)
  await expired
  expect(heard).toEqual(['came', 'expired'])
})

it('can be taken back, also while it forgives', async () => {
  let expired = 0
  const before = stallTimer(20, () => expired++)
  before()
  const during = stallTimer(20, () => expired++)
  // One of the same time that is not taken back: when it expires, the other would have.
  const other = new Promise<void>(resolve => stallTimer(20, resolve))
  holdUp(400)
  await new Promise(resolve => setTimeout(resolve, 1))
  during()
  await other
  expect(expired).toBe(0)
})
