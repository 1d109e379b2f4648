import { describe, expect, it } from 'vitest'
import type { Authenticator } from '../contracts/authenticator.ts'
import { GatewayError } from '../errors/errors.ts'
import { firstOf } from './first-of.ts'

const request = new Request('http://a/')
const nobody: Authenticator = () => undefined
const ann: Authenticator = async () => ({ id: 'ann' })
const bob: Authenticator = () => ({ id: 'bob' })
const outage = new GatewayError('authentication_unavailable')
const down: Authenticator = () => Promise.reject(outage)
const broken: Authenticator = () => {
  throw new Error('broken')
}

describe('firstOf', () => {
  it.each<[string, Authenticator[], string | undefined]>([
    ['the first that knows the caller', [nobody, ann, bob], 'ann'],
    ['nobody', [nobody, nobody], undefined],
    ['the next after one that rejects', [down, bob], 'bob'],
    ['the next after one that throws', [broken, nobody, ann], 'ann'],
    ['the next after a null and a false', [() => null as never, () => false as never, bob], 'bob'],
  ])('gives %s', async (_, authenticators, id) => {
    expect((await firstOf(...authenticators)(request, undefined))?.id).toBe(id)
  })

  it('asks no further than it has to, one at a time, with the host’s own request', async () => {
    const asked: unknown[] = []
    const ask =
      (name: string, authenticate: Authenticator): Authenticator =>
      async (got, host) => {
        asked.push([name, got === request, host])
        return authenticate(got, host)
      }
    await firstOf(ask('a', nobody), ask('b', down), ask('c', ann), ask('d', bob))(request, 'host')
    expect(asked).toEqual(['a', 'b', 'c'].map(name => [name, true, 'host']))
  })

  it('throws what the first one threw where nobody knows the caller: an outage is no wrong key', async () => {
    await expect(firstOf(nobody, down, nobody, broken)(request, undefined)).rejects.toBe(outage)
    await expect(firstOf(broken, down)(request, undefined)).rejects.toThrow('broken')
    const nothing = firstOf(() => Promise.reject(undefined), nobody)
    await expect(nothing(request, undefined)).rejects.toBeUndefined()
  })

  it('asks nobody else where one refuses the caller', async () => {
    const banned = new GatewayError('missing_scope')
    const ban: Authenticator = () => Promise.reject(banned)
    await expect(firstOf(nobody, ban, bob)(request, undefined)).rejects.toBe(banned)
    await expect(firstOf(down, ban, bob)(request, undefined)).rejects.toBe(banned)
  })

  it('takes a 401 that is thrown as one who does not know the caller', async () => {
    const wrong = new GatewayError('invalid_api_key')
    const stranger: Authenticator = () => Promise.reject(wrong)
    expect(await firstOf(stranger, bob)(request, undefined)).toEqual({ id: 'bob' })
    await expect(firstOf(stranger, nobody)(request, undefined)).rejects.toBe(wrong)
    await expect(firstOf(stranger, down)(request, undefined)).rejects.toBe(outage)
  })

  it.each([[[]], [[undefined]], [[ann, {}]]])('refuses what it cannot ask: %o', authenticators => {
    expect(() => firstOf(...(authenticators as Authenticator[]))).toThrow(
      /^firstOf\(\): got .*, expected one authenticator or more/,
    )
  })
})
