import { describe, expect, it, onTestFinished } from 'vitest'
import { closingOf, entryOf } from '../../test/support/scripted-rows.ts'
import { systemClock } from '../clock/clock.ts'
import type { GatewayEvent } from '../contracts/events.ts'
import type { Ledger } from '../contracts/ledger.ts'
import { guardLedger } from './guard-callbacks.ts'

const entry = entryOf('a')
const closing = closingOf(entry)
const nothing = () => undefined

function watched(ledger: Partial<Ledger>, ms = 20) {
  const events: GatewayEvent[] = []
  const made = guardLedger(
    { open() {}, close() {}, ...ledger },
    ms,
    event => events.push(event),
    systemClock,
  )!
  return { made, events, states: () => events.map(event => event.type === 'store' && event.state) }
}

describe('guardLedger', () => {
  it('is nothing where there is none', () => {
    expect(guardLedger(undefined, 20, () => {}, systemClock)).toBeUndefined()
  })

  it('hands on what it is given, and tells of nothing while all works', async () => {
    const heard: unknown[] = []
    const { made, events } = watched({
      open: (...given) => void heard.push(given),
      close: (...given) => void heard.push(given),
    })
    await made.open(entry, nothing)
    await made.close(closing)
    await made.flush?.()
    expect(heard).toEqual([[entry, nothing], [closing]])
    expect(events).toEqual([])
  })

  it('hands on calls that nobody got, where the ledger keeps them, and does not fail where it fails', async () => {
    expect(watched({}).made).not.toHaveProperty('unused')
    const heard: unknown[] = []
    await watched({ recordDiscarded: (...given) => void heard.push(given) }).made.recordDiscarded?.(closing)
    expect(heard).toEqual([[closing]])
    const { made, states } = watched({ recordDiscarded: () => Promise.reject(new Error('rows')) })
    await made.recordDiscarded?.(closing)
    expect(states()).toEqual(['failing'])
  })

  it('has nothing that another library has added to every object', () => {
    Object.assign(Object.prototype, { cancel: () => {}, recordDiscarded: () => {} })
    onTestFinished(() => {
      for (const name of ['cancel', 'recordDiscarded']) Reflect.deleteProperty(Object.prototype, name)
    })
    const { made } = watched({})
    expect([made.cancel, made.recordDiscarded]).toEqual([undefined, undefined])
  })

  it('tells once that opening fails, with the error, and once that it works again', async () => {
    let fails = true
    const error = new Error('rows')
    const { made, events } = watched({
      open: () => (fails ? Promise.reject(error) : undefined),
    })
    await expect(made.open(entry, nothing)).rejects.toBe(error)
    await expect(made.open(entry, nothing)).rejects.toBe(error)
    expect(events).toEqual([{ type: 'store', store: 'ledger', state: 'failing', error }])
    fails = false
    await made.open(entry, nothing)
    await made.open(entry, nothing)
    expect(events).toHaveLength(2)
    expect(events[1]).toEqual({ type: 'store', store: 'ledger', state: 'working', error: undefined })
  })

  it('does not flutter where one part works and another does not', async () => {
    const { made, states } = watched({ close: () => Promise.reject(new Error('rows')) })
    for (let round = 0; round < 3; round++) {
      await made.open(entry, nothing)
      await made.close(closing)
    }
    expect(states()).toEqual(['failing'])
  })

  it('does not wait longer than it may for an entry to be kept', async () => {
    const { made, states } = watched({ open: () => new Promise(() => {}) })
    await expect(made.open(entry, nothing)).rejects.toThrow(
      '`ledger` timed out after 20 ms (`timeouts.policyMs`).',
    )
    expect(states()).toEqual(['failing'])
  })

  it.each<[string, () => Promise<void>]>([
    [
      'throws',
      () => {
        throw new Error('rows')
      },
    ],
    ['rejects', () => Promise.reject(new Error('rows'))],
  ])('never fails at a close or a flush that %s', async (_, fail) => {
    const { made, states } = watched({ close: fail, flush: fail })
    await expect(made.close(closing)).resolves.toBeUndefined()
    await expect(made.flush?.()).resolves.toBeUndefined()
    expect(states()).toEqual(['failing'])
    await expect(watched({ open: fail }).made.open(entry, nothing)).rejects.toThrow('rows')
  })
})
