import { local } from '@sluice/providers/local'
import { expect, it } from 'vitest'
import { expectError } from './expect-error.ts'
import { overMounts } from './over-mounts.ts'
import { testGateway } from './test-gateway.ts'

overMounts(
  () => testGateway({ other: local()('other') }),
  site => {
    it('C25 refuses a request without a key', async () => {
      const answer = await site.chat({}, { key: null })
      expectError(answer, 401, { code: null, param: null, message: /^You didn't provide an API key/ })
    })

    it('C26 refuses an unknown key and does not repeat it', async () => {
      const answer = await site.chat({}, { key: 'sk-unknown-0123456789' })
      expectError(answer, 401, { code: 'invalid_api_key', param: null })
      expect(Buffer.from(answer.received).toString()).not.toContain('0123456789')
    })

    it.each(['Basic Z29vZC1rZXk6', 'Bearer', 'Bearer ', 'Bearer    ', 'good-key', ''])(
      'C27 refuses "%s"',
      async authorization => {
        const answer = await site.chat({}, { key: null, headers: { authorization } })
        expectError(answer, 401, { code: null, message: /^You didn't provide an API key/ })
      },
    )

    it.each(['bearer good-key', 'BEARER good-key', 'Bearer   good-key  ', 'Bearer key with spaces'])(
      'C28 takes "%s"',
      async authorization => {
        expect((await site.chat({}, { key: null, headers: { authorization } })).status).toBe(200)
      },
    )

    it('C29 names the scheme on a 401', async () => {
      const missing = await site.chat({}, { key: null })
      expect(missing.headers['www-authenticate']).toMatch(/^Bearer realm="[^"]+"$/)
      const unknown = await site.chat({}, { key: 'nobody' })
      expect(unknown.headers['www-authenticate']).toMatch(/^Bearer realm="[^"]+", error="invalid_token"$/)
    })

    it('C30 refuses a model that is not for the caller', async () => {
      const answer = await site.chat({ model: 'other' }, { key: 'local-only-key' })
      expectError(answer, 403, { code: 'model_not_found', param: null, message: /`other`/ })
      expect((await site.chat({}, { key: 'local-only-key' })).status).toBe(200)
    })

    it('C31 refuses a caller who may not use the service', async () => {
      expectError(await site.chat({}, { key: 'no-scope-key' }), 403, { code: 'missing_scope', param: null })
      expectError(await site.get('/models', { key: 'no-scope-key' }), 403, { code: 'missing_scope' })
    })

    it('C107 asks for a key also for the models', async () => {
      expectError(await site.get('/models', { key: null }), 401)
      expectError(await site.get('/models/local', { key: null }), 401)
      expectError(await site.get('/models', { key: 'nobody' }), 401, { code: 'invalid_api_key' })
    })

    it('C117 looks at the key before the body', async () => {
      expectError(await site.chat({}, { key: 'nobody', body: '{' }), 401, { code: 'invalid_api_key' })
    })
  },
)
