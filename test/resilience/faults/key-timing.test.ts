import { apiKeys } from '@sluice/core'
import { hashApiKey } from '@sluice/core/keys'
import { describe, expect, it, onTestFinished } from 'vitest'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const key = 'sk-0123456789abcdefghijklmnopqrstuvwxyzABCD'
/** Wrong keys, by how many of their first characters are right. */
const wrong = [0, 1, 8, 20, key.length - 1].map(right => key.slice(0, right).padEnd(key.length, 'Z'))
const [strange = '', , , , close = ''] = wrong

describe('F83 a wrong key that begins as a right one', () => {
  overServers(mount => {
    it('is looked for by the digest of all of it, which says nothing of how it begins', async () => {
      const asked: string[] = []
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, {
        models: { m: upstream },
        authenticate: apiKeys(digest => {
          asked.push(digest)
          return digest === hashApiKey(key) ? { id: 'ann' } : undefined
        }),
      })
      const keys = [key, ...wrong]
      const bodies = new Set<string>()
      for (const it of keys) {
        const { status, bytes } = await site.chat({ model: 'm' }, { key: it })
        expect(status).toBe(it === key ? 200 : 401)
        if (it !== key) bodies.add(Buffer.from(bytes).toString())
      }
      expect(asked).toEqual(keys.map(it => hashApiKey(it)))
      // Every two digests differ from their beginning on, as random ones do.
      for (const digest of asked.slice(1)) expect(sameStart(digest, asked[0] ?? '')).toBeLessThan(16)
      expect(bodies.size).toBe(1)
    })
  })

  it('no comparison of strings sees the key: only its digest is looked up', async () => {
    const compared: string[] = []
    const get = Map.prototype.get
    onTestFinished(() => {
      Map.prototype.get = get
    })
    const authenticate = apiKeys([{ id: 'ann', key }])
    Map.prototype.get = function (this: Map<unknown, unknown>, wanted: unknown) {
      // The name of the header is looked up as well, by `Headers` itself.
      if (typeof wanted === 'string' && wanted !== 'authorization') compared.push(wanted)
      return get.call(this, wanted)
    }
    const found = await authenticate(requestWith(key), undefined)
    const missed = await authenticate(requestWith(close), undefined)
    Map.prototype.get = get
    expect([found?.id, missed]).toEqual(['ann', undefined])
    expect(compared).toEqual([hashApiKey(key), hashApiKey(close)])
  })

  it('takes no longer for a right beginning', async () => {
    const authenticate = apiKeys([{ id: 'ann', key }])
    const requests = [requestWith(strange), requestWith(close)] as const
    const times: [number[], number[]] = [[], []]
    for (let round = 0; round < 3_000; round++) {
      // In turns, so that what slows the machine slows both.
      for (const which of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const before = performance.now()
        await authenticate(requests[which], undefined)
        times[which].push(performance.now() - before)
      }
    }
    const [none, all] = times.map(median) as [number, number]
    // A comparison that stops at the first difference of 43 characters would not show: this is against a key
    // derivation, or a scan of keys, for those only that begin right.
    expect(Math.max(none, all) / Math.min(none, all)).toBeLessThan(3)
  })
})

function requestWith(token: string): Request {
  return new Request('http://sluice.test/', { headers: { authorization: `Bearer ${token}` } })
}

function sameStart(a: string, b: string): number {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return at
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}
