import { apiKeys } from '@sluice/core'
import { type AnswerContent, readSse, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { completionOf } from '../../e2e/conformance/completion-of.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const tenants = ['ann', 'bob', 'cid']
const rounds = 2
const said = (n: number): AnswerContent => ({ id: 'chatcmpl-the-same', text: `Answer ${n}.` })

describe('F80 two tenants ask the same', () => {
  overServers(mount => {
    it.each([false, true])('each is answered anew, and nothing is shared; streamed: %s', async stream => {
      const asked = tenants.length * rounds
      const upstream = await upstreamDuring(...Array.from({ length: asked }, (_, n) => steps.answer(said(n))))
      const { site, end } = await startService(mount, {
        models: { m: upstream },
        authenticate: apiKeys(tenants.map(id => ({ id, key: `key-of-${id}` }))),
      })
      const ids: unknown[] = []
      for (let n = 0; n < asked; n++) {
        const tenant = tenants[n % tenants.length]
        const fields = { model: 'm', stream, temperature: 0, seed: 7 }
        const got = await site.chat(fields, { key: `key-of-${tenant}` })
        expect(got.status).toBe(200)
        expect(got.headers['cache-control']).toContain('no-store')
        expect(got.headers.vary?.toLowerCase()).toContain('authorization')
        const first = stream ? (await readSse(got.bytes)).chunks[0] : completionOf(got)
        ids.push((first as { id: unknown }).id, got.headers['x-request-id'])
        expect(Buffer.from(got.bytes).toString()).toContain(`${n}.`)
        expect(await end(n + 1)).toMatchObject({ principal: { id: tenant }, attempts: [{ called: true }] })
      }
      expect(upstream.requests).toHaveLength(asked)
      expect(new Set(ids).size).toBe(2 * asked)
      expect(ids).not.toContain('chatcmpl-the-same')
    })

    it('asking at the same time shares no call either', async () => {
      const upstream = await upstreamDuring(steps.answer())
      const { site, ends, end } = await startService(mount, {
        models: { m: upstream },
        authenticate: apiKeys(tenants.map(id => ({ id, key: `key-of-${id}` }))),
      })
      await Promise.all(tenants.map(id => site.chat({ model: 'm' }, { key: `key-of-${id}` })))
      await end(tenants.length)
      expect(upstream.requests).toHaveLength(tenants.length)
      expect(ends.map(({ principal }) => principal?.id).sort()).toEqual(tenants)
    })
  })
})
