import { describe, expect, it } from 'vitest'
import {
  a,
  b,
  c,
  candidatesOf,
  d,
  draftOf,
  modelsOf,
  vendor,
  watching,
} from '../../test/support/scripted-places.ts'
import type { Route, RoutedTarget } from '../contracts/route.ts'
import { UpstreamError, type UpstreamErrorDetails } from '../errors/upstream-error.ts'
import { fallback } from './fallback.ts'

const failure = (details: Partial<UpstreamErrorDetails>) =>
  new UpstreamError('x', { kind: 'refused', ...details })
const moves = ({ fallbackOn }: RoutedTarget, details: Partial<UpstreamErrorDetails>) =>
  fallbackOn?.(failure(details))

describe('fallback', () => {
  it('gives all places in their order, each once', () => {
    expect(modelsOf(fallback(a, [b, a], fallback(c, { ...b })))).toEqual(['a', 'b', 'c'])
    expect(fallback(a, [b]).targets()).toEqual([a, b])
  })

  it('makes nothing for a request where nothing depends on it', () => {
    const route = fallback(a, [b, c])
    expect(candidatesOf(route)).toBe(candidatesOf(route))
  })

  it('waits only where a route of the user does', async () => {
    const slow: Route = async () => [b]
    const sync: Route = ({ bytes }) => (bytes > 20 ? [c] : [])
    expect(modelsOf(fallback(a, sync), undefined, draftOf({ user: 'x'.repeat(20) }))).toEqual(['a', 'c'])
    expect(modelsOf(fallback(a, sync))).toEqual(['a'])
    const given = await fallback(a, slow, sync)(draftOf(), watching().context)
    expect(given.map(({ model }) => model)).toEqual(['a', 'b'])
  })

  it('fails where a route of the user does, and leaves no rejection behind', async () => {
    const rejecting: Route = async () => Promise.reject(new Error('down'))
    const throwing: Route = () => {
      throw new Error('thrown')
    }
    await expect(fallback(a, rejecting)(draftOf(), watching().context)).rejects.toThrow('down')
    expect(() => fallback(rejecting, throwing)(draftOf(), watching().context)).toThrow('thrown')
    const odd: Route = () => [a, { model: 'x' }] as never
    expect(() => modelsOf(fallback(odd, b))).toThrow(/expected an array of targets/)
    const later: Route = async () => undefined as never
    await expect(fallback(later, b)(draftOf(), watching().context)).rejects.toThrow(
      /expected an array of targets/,
    )
  })

  it('says after which failures the next place is asked', () => {
    const [first, last] = candidatesOf(
      fallback(a, b, { on: [429, '5xx', 'timeout', 'truncated', { code: 'busy' }] }),
    )
    expect(moves(first!, { status: 429 })).toBe(true)
    expect(moves(first!, { status: 503 })).toBe(true)
    expect(moves(first!, { status: 400 })).toBe(false)
    expect(moves(first!, { kind: 'connect_timeout' })).toBe(true)
    expect(moves(first!, { kind: 'truncated' })).toBe(true)
    expect(moves(first!, { kind: 'unreachable' })).toBe(false)
    expect(moves(first!, { status: 400, code: 'busy' })).toBe(true)
    expect(last).toEqual(b)
    const [own] = candidatesOf(fallback(a, b, { on: ({ status }) => status === 418 }))
    expect(moves(own!, { status: 418 })).toBe(true)
  })

  it('keeps what an inner one says of its own places, and says it of leaving them', () => {
    const inner = fallback(a, b, { on: [400] })
    const [first, second, third, last] = candidatesOf(fallback(inner, c, d, { on: [503] }))
    expect(moves(first!, { status: 400 })).toBe(true)
    expect(moves(first!, { status: 503 })).toBe(false)
    expect(moves(second!, { status: 400 })).toBe(false)
    expect(moves(second!, { status: 503 })).toBe(true)
    expect(moves(third!, { status: 503 })).toBe(true)
    expect(last).toEqual(d)
    const open = candidatesOf(fallback(inner, c))
    expect(open.map(({ fallbackOn }) => fallbackOn !== undefined)).toEqual([true, false, false])
  })

  it.each([
    [[], /fallback\(\): got an empty list, expected at least one entry/],
    [[a, []], /\[1\]: got an empty list/],
    [[a, 7], /\[1\]: got .*, expected a target/],
    [[a, ''], /\[1\]: got .*, expected a target/],
    [[null, a], /\[0\]: got null, expected a target/],
    [[a, { model: 'm' }], /\[1\]: got .*, expected a target/],
    [[vendor], /\[0\]: got a function, expected a target rather than a provider/],
    [[[vendor]], /\[0\]\[0\]: got a function, expected a target rather than a provider/],
    [[a, { onn: [429] }], /onn: got a list, expected no such option. Did you mean 'on'\?/],
    [[a, {}], /on: got undefined, expected a function, or a list/],
    [[{ on: [429] }], /got an empty list, expected at least one entry/],
    [[a, { on: [] }], /on: got an empty list/],
    [[a, { on: ['slow'] }], /on\[0\]: got 'slow', expected a status/],
    [[a, { on: [200] }], /on\[0\]: got 200/],
    [
      [{ ...a, capabilities: { contextTokens: '128k' } }],
      /\[0\]\.capabilities\.contextTokens: got '128k', expected a whole number from 1/,
    ],
    [[{ ...a, capabilities: { maxOutputTokens: 0 } }], /maxOutputTokens: got 0/],
    [[{ ...a, capabilities: null }], /capabilities: got null, expected an object/],
    [[{ ...a, parameters: { temperature: 3 } }], /\[0\]\.parameters\.temperature: got/],
  ])('refuses %o', (entries, message) => {
    expect(() => fallback(...(entries as never[]))).toThrow(message)
    expect(() => fallback(...(entries as never[]))).toThrow(TypeError)
  })

  it('cannot be asked where it names entries of no table', () => {
    const route = fallback('big', a)
    expect(() => modelsOf(route as never)).toThrow(/no names of other entries outside of models.* 'big'/)
    expect(() => route.targets()).toThrow(TypeError)
  })
})
