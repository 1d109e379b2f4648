import { apiKeys } from '@sluice/core'
import { openaiCompatible } from '@sluice/providers'
import { steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import type { Mount } from '../../e2e/mounts/mounts.ts'
import { expectRefusal } from './harness/refused.ts'
import { overServers } from './harness/servers.ts'
import { startService, upstreamKey } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const keys = [
  { id: 'all', key: 'all-key' },
  { id: 'none', key: 'none-key', models: [] },
  { id: 'star', key: 'star-key', models: ['*'] },
  { id: 'gpt', key: 'gpt-key', models: ['gpt-*'] },
  { id: 'one', key: 'one-key', models: ['gpt-4o'] },
  { id: 'mid', key: 'mid-key', models: ['*/small-*'] },
]
const names = ['gpt-4o', 'gpt-4o-mini', 'not-gpt-4o', 'vendor/small-1', 'vendor/large-1']

/** Which of the names each key may use. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'all-key': names,
  'none-key': [],
  'star-key': names,
  'gpt-key': ['gpt-4o', 'gpt-4o-mini'],
  'one-key': ['gpt-4o'],
  'mid-key': ['vendor/small-1'],
}

async function scoped(mount: Mount) {
  const upstream = await upstreamDuring()
  const models = Object.fromEntries(names.map(name => [name, upstream]))
  return { upstream, ...(await startService(mount, { models, authenticate: apiKeys(keys) })) }
}

describe('F9 a good key and a model outside of its scope', () => {
  overServers(mount => {
    it.each(Object.entries(allowed))('%s: may use its models, and no other', async (key, models) => {
      const { site, upstream } = await scoped(mount)
      for (const model of names) {
        const answer = await site.chat({ model }, { key })
        if (models.includes(model)) expect([model, answer.status]).toEqual([model, 200])
        else expectRefusal(answer, 403, { code: 'model_not_found', message: new RegExp(`\`${model}\``) })
      }
      expect(upstream.requests).toHaveLength(models.length)
      const listed = (await site.get('/models', { key })).json as unknown as { data: { id: string }[] }
      expect(listed.data.map(({ id }) => id)).toEqual(models)
      for (const model of names) {
        const { status } = await site.get(`/models/${model}`, { key })
        expect([model, status === 200]).toEqual([model, models.includes(model)])
      }
    })

    it('is a 404 for a model that nobody has, however it is spelt and whatever the key', async () => {
      const { site, upstream } = await scoped(mount)
      const unknown = [
        'gpt-5',
        'GPT-4O',
        'gpt-4o ',
        ' gpt-4o',
        'gpt-4o\n',
        'gpt-*',
        '*',
        'ｇpt-4o',
        '__proto__',
      ]
      for (const key of Object.keys(allowed)) {
        for (const model of unknown) {
          expectRefusal(await site.chat({ model }, { key }), 404, { code: 'model_not_found' })
        }
      }
      expect(upstream.requests).toHaveLength(0)
    })

    it('is asked by the name that the caller said, also where another target answers in the end', async () => {
      const failing = await upstreamDuring(steps.reply({ error: { message: 'busy' } }, { status: 503 }))
      const second = await upstreamDuring()
      const vendor = (baseURL: string) => openaiCompatible({ name: 'v', baseURL, apiKey: upstreamKey })
      const { site } = await startService(mount, {
        models: {
          'gpt-4o': [vendor(failing.baseURL)('a'), vendor(second.baseURL)('secret-model')],
          'secret-model': second,
        },
        authenticate: apiKeys(keys),
      })
      expect((await site.chat({ model: 'gpt-4o' }, { key: 'one-key' })).status).toBe(200)
      expectRefusal(await site.chat({ model: 'secret-model' }, { key: 'one-key' }), 403)
      expectRefusal(await site.chat({ model: 'gpt-4o' }, { key: 'mid-key' }), 403)
      expect([failing.requests.length, second.requests.length]).toEqual([1, 1])
      expect(second.requests[0]?.json?.model).toBe('secret-model')
    })

    it('stands as it is where the request names other places for itself', async () => {
      const { site, upstream } = await scoped(mount)
      const elsewhere = { models: ['gpt-4o'], fallbacks: ['vendor/large-1'], route: 'fallback', user: 'all' }
      const fields = { ...elsewhere, metadata: { model: 'gpt-4o' } }
      expectRefusal(await site.chat({ model: 'not-gpt-4o', ...fields }, { key: 'gpt-key' }), 403)
      expect(upstream.requests).toHaveLength(0)
    })
  })
})
