import { describe, expect, it } from 'vitest'
import { type Release, Slots } from './concurrency-slots.ts'
import { noCaller } from './health/principal-caller.ts'

function waiting(slots: Slots) {
  const state: { release?: Release } = {}
  const taken = new Promise<void>(resolve => {
    slots.wait(noCaller, release => {
      state.release = release
      resolve()
    })
  })
  return { taken, state }
}

const turn = () => new Promise(resolve => setImmediate(resolve))

describe('Slots', () => {
  it('gives no more than there are, and each back to the next in line', async () => {
    const slots = new Slots(2)
    const callers = [waiting(slots), waiting(slots), waiting(slots), waiting(slots)]
    await turn()
    expect(callers.map(({ state }) => state.release !== undefined)).toEqual([true, true, false, false])
    callers[1]!.state.release!()
    await callers[2]!.taken
    expect(callers[3]!.state.release).toBeUndefined()
    callers[0]!.state.release!()
    await callers[3]!.taken
  })

  it('lets who waits leave at once', async () => {
    const slots = new Slots(1)
    const first = waiting(slots)
    await first.taken
    let served = false
    const leave = slots.wait(noCaller, () => {
      served = true
    })
    const third = waiting(slots)
    leave()
    first.state.release!()
    await third.taken
    expect(served).toBe(false)
  })

  it('counts a release once', async () => {
    const slots = new Slots(1)
    const first = waiting(slots)
    await first.taken
    const second = waiting(slots)
    const third = waiting(slots)
    first.state.release!()
    first.state.release!()
    await second.taken
    await turn()
    expect(third.state.release).toBeUndefined()
  })

  it('serves who comes at whatever moment after a release', async () => {
    for (let microtasks = 0; microtasks < 20; microtasks++) {
      const slots = new Slots(1)
      const first = waiting(slots)
      await first.taken
      first.state.release!()
      for (let i = 0; i < microtasks; i++) await Promise.resolve()
      await waiting(slots).taken
    }
  })

  it('serves those who stay, in order, where many come and leave', async () => {
    const slots = new Slots(1)
    const first = waiting(slots)
    await first.taken
    const served: number[] = []
    for (let i = 0; i < 100; i++) {
      const leave = slots.wait(noCaller, release => {
        served.push(i)
        release()
      })
      if (i % 10 !== 0) leave()
    }
    const last = waiting(slots)
    first.state.release!()
    await last.taken
    expect(served).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90])
  })

  it('serves principals by turns', async () => {
    const slots = new Slots(1)
    const first = waiting(slots)
    await first.taken
    const served: string[] = []
    const ask = (digest: string) =>
      new Promise<void>(resolve => {
        slots.wait({ digest }, release => {
          served.push(digest)
          release()
          resolve()
        })
      })
    const all = ['ann', 'ann', 'ann', 'ann', 'bob', 'bob', 'cem'].map(ask)
    const leave = slots.wait({ digest: 'dee' }, () => served.push('dee'))
    leave()
    leave()
    first.state.release!()
    await Promise.all(all)
    expect(served).toEqual(['ann', 'bob', 'cem', 'ann', 'bob', 'ann', 'ann'])
  })
})
