import { describe, expect, it, onTestFinished } from 'vitest'
import type { Observer, WarningEvent } from '../contracts/events.ts'
import { observers } from './observers.ts'

const event: WarningEvent = { type: 'warning', code: 'only_local_in_production', message: 'Only local.' }

function listening() {
  const heard: string[] = []
  const named =
    (name: string): Observer =>
    ({ type }) =>
      void heard.push(`${name} ${type}`)
  return { heard, named }
}

describe('observers', () => {
  it('tells all of them, in their order, and leaves out those that are not there', () => {
    const { heard, named } = listening()
    observers(named('a'), undefined, named('b'))(event)
    expect(heard).toEqual(['a warning', 'b warning'])
    expect(() => observers()(event)).not.toThrow()
  })

  it('goes on after one that throws, and after one whose promise fails', async () => {
    const { heard, named } = listening()
    const throws: Observer = () => {
      throw new Error('It broke.')
    }
    const rejects: Observer = async () => {
      throw new Error('It broke later.')
    }
    const all = observers(throws, rejects, named('last'))
    expect(() => all(event)).not.toThrow()
    // An unhandled rejection would fail the run.
    await new Promise(resolve => setImmediate(resolve))
    expect(heard).toEqual(['last warning'])
  })

  it('warns of the first failure of each, and not again', async () => {
    const warnings: { readonly code?: string; readonly detail?: string }[] = []
    const hear = (warning: Error & { readonly code?: string; readonly detail?: string }) =>
      void warnings.push(warning)
    process.on('warning', hear)
    onTestFinished(() => void process.off('warning', hear))
    const all = observers(
      () => {
        throw new Error('It broke.')
      },
      async () => {
        throw new Error('It broke later.')
      },
      () => {},
    )
    for (let count = 0; count < 3; count++) all(event)
    await new Promise(resolve => setImmediate(resolve))
    expect(warnings.map(({ code, detail }) => [code, detail?.split('\n')[0]])).toEqual([
      ['SLUICE_OBSERVER_FAILED', 'Error: It broke.'],
      ['SLUICE_OBSERVER_FAILED', 'Error: It broke later.'],
    ])
  })

  it.each<[string, () => unknown]>([
    ['has no text', () => Object.create(null)],
    [
      'throws when it is read',
      () => ({
        toString() {
          throw new Error('No text.')
        },
      }),
    ],
  ])('goes on after what %s was thrown', async (_, made) => {
    const { heard, named } = listening()
    const throws: Observer = () => {
      throw made()
    }
    const rejects: Observer = () => Promise.reject(made()) as never
    expect(() => observers(throws, rejects, named('last'))(event)).not.toThrow()
    // An unhandled rejection would fail the run.
    await new Promise(resolve => setImmediate(resolve))
    expect(heard).toEqual(['last warning'])
  })

  it('keeps its own list', () => {
    const { heard, named } = listening()
    const list = [named('a')]
    const all = observers(...list)
    list.push(named('b'))
    all(event)
    expect(heard).toEqual(['a warning'])
  })

  it.each([
    [null, /\[1\]: got null, expected a function/],
    [{ observe: () => {} }, /\[1\]: got an object/],
    ['log', /\[1\]: got 'log'/],
  ])('throws for %s', (entry, message) => {
    expect(() => observers(() => {}, entry as unknown as Observer)).toThrow(message)
  })
})
