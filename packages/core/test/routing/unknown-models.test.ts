import { describe, expect, it } from 'vitest'
import type { Authorizer } from '../../src/contracts/authorizer.ts'
import { GatewayError } from '../../src/errors/errors.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { fallback } from '../../src/routing/fallback.ts'
import { models } from '../../src/routing/models.ts'
import { scripted, whole } from '../support/scripted-gateway.ts'

const { target } = scripted(() => whole('Hi.'))
const table = models({
  'acme-4o': target,
  'acme-4o-mini': target,
  'acme-4.1': target,
  'acme-4.1-mini': target,
  'other-sonnet-4-20250514': target,
  hidden: target,
  hiding: fallback('hidden'),
  'ours/*': target,
})

/** What two ways to ask for a model say to a caller. */
async function messagesFor(model: string, authorize?: Authorizer): Promise<readonly (string | undefined)[]> {
  const gateway = createGateway({
    authenticate: () => ({ id: 'ann' }),
    route: table,
    ...(authorize === undefined ? {} : { authorize }),
  })
  const chat = await gateway.fetch('http://sluice.test/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] }),
  })
  const shown = await gateway.fetch(`http://sluice.test/v1/models/${encodeURIComponent(model)}`)
  return Promise.all(
    [chat, shown].map(async response => {
      expect(response.status).toBe(404)
      const { error } = (await response.json()) as { error: { message: string; code: string } }
      expect(error.code).toBe('model_not_found')
      return error.message.split('have access to it.')[1]?.trim()
    }),
  )
}

describe('the 404 of an unknown model', () => {
  it.each([
    ['acme-4', 'Did you mean `acme-4o`, `acme-4.1` or `acme-4o-mini`?'],
    ['ACME-4.1-mni', 'Did you mean `acme-4.1-mini`, `acme-4o-mini` or `acme-4.1`?'],
    ['other-sonnet', 'Did you mean `other-sonnet-4-20250514`?'],
    ['nobody', ''],
    ['ou', ''],
    ['x'.repeat(500), ''],
  ])('suggests models near %s', async (model, suggestion) => {
    expect(await messagesFor(model)).toEqual([suggestion, suggestion])
  })

  it('does not suggest the name that was asked for, which a route may leave without a target', async () => {
    const gateway = createGateway({
      authenticate: () => ({ id: 'ann' }),
      route: models({ demo: () => [], demos: target }),
    })
    const response = await gateway.fetch('http://sluice.test/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hi' }] }),
    })
    expect(response.status).toBe(404)
    const { error } = (await response.json()) as { error: { message: string } }
    expect(error.message).toMatch(/Did you mean `demos`\?$/)
  })

  it('suggests no model that the caller may not use, nor one that leads to such a model only', async () => {
    const only: Authorizer = (_, model) => model === 'acme-4.1' || model === 'hiding'
    expect(await messagesFor('acme-4', only)).toEqual([
      'Did you mean `acme-4.1`?',
      'Did you mean `acme-4.1`?',
    ])
    expect(await messagesFor('hiden', only)).toEqual(['', ''])
    const refusing: Authorizer = () => {
      throw new GatewayError('model_not_allowed')
    }
    expect(await messagesFor('acme-4', refusing)).toEqual(['', ''])
  })

  it('stays a 404 where the authorizer fails, which is asked once', async () => {
    let asked = 0
    const failing: Authorizer = () => {
      asked++
      throw new Error('The database is down.')
    }
    expect(await messagesFor('acme-4', failing)).toEqual(['', ''])
    expect(asked).toBe(2)
  })
})
