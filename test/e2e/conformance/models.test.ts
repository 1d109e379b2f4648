import { local } from '@sluice/providers/local'
import { expect, it } from 'vitest'
import { catalogue } from '../../../examples/custom-gateway/catalogue.ts'
import { expectError } from './expect-error.ts'
import { overMounts } from './over-mounts.ts'
import { testGateway } from './test-gateway.ts'

const others = ['vendor/x', 'ft:gpt-4o:acme::7', 'größe']
const makeGateway = () =>
  testGateway({ ...catalogue({}), ...Object.fromEntries(others.map(name => [name, local()(name)])) })

overMounts(makeGateway, site => {
  it('C103 lists models', async () => {
    const answer = await site.get('/models')
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    expect(Object.keys(answer.json ?? {})).toEqual(['object', 'data'])
    const { object, data } = answer.json as unknown as { object: string; data: object[] }
    expect(object).toBe('list')
    for (const model of data) {
      expect(model).toEqual({
        id: expect.any(String),
        object: 'model',
        created: expect.any(Number),
        owned_by: expect.any(String),
      })
    }
  })

  it('C104 lists the models that the service has by default', async () => {
    const { data } = (await site.get('/models')).json as unknown as { data: { id: string }[] }
    const defaults = [
      'vendora-4o',
      'vendora-4o-mini',
      'vendora-4.1',
      'vendora-4.1-mini',
      'vendorb-sonnet-4-20250514',
      'vendorc-2.5-flash',
      'o1',
      'o3',
    ]
    expect(data.map(({ id }) => id).sort()).toEqual(['local', ...defaults, ...others].sort())
    const few = (await site.get('/models', { key: 'local-only-key' })).json as unknown as typeof data
    expect(few).toMatchObject({ data: [{ id: 'local' }] })
  })

  it('C105 tells of one model', async () => {
    const answer = await site.get('/models/vendora-4o')
    expect(answer.status).toBe(200)
    expect(answer.json).toMatchObject({ id: 'vendora-4o', object: 'model' })
    expectError(await site.get('/models/nope'), 404, { code: 'model_not_found', message: /nope/ })
    expectError(await site.get('/models/vendora-4o', { key: 'local-only-key' }), 403, {
      code: 'model_not_found',
    })
  })

  it.each(['vendor/x', 'vendor%2Fx', 'vendor%2fx'])('C106 finds vendor/x as %s', async path => {
    expect((await site.get(`/models/${path}`)).json).toMatchObject({ id: 'vendor/x' })
  })

  it.each(['ft:gpt-4o:acme::7', 'ft%3Agpt-4o%3Aacme%3A%3A7'])(
    'C106 finds a name with colons as %s',
    async path => {
      expect((await site.get(`/models/${path}`)).json).toMatchObject({ id: 'ft:gpt-4o:acme::7' })
    },
  )

  it('C106 finds a name beyond ASCII', async () => {
    expect((await site.get(`/models/${encodeURIComponent('größe')}`)).json).toMatchObject({ id: 'größe' })
  })
})
