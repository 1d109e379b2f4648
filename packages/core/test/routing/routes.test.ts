import { describe, expect, it } from 'vitest'
import type { Principal } from '../../src/contracts/principal.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { fallback } from '../../src/routing/fallback.ts'
import { models } from '../../src/routing/models.ts'
import { split } from '../../src/routing/split.ts'
import { withParameters } from '../../src/routing/with-parameters.ts'
import { scripted, whole } from '../support/scripted-gateway.ts'

const url = 'http://sluice.test/v1/chat/completions'

function asked(model: string, more: object = {}): Request {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }], ...more })
  return new Request(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
}

const answerOf = async (response: Response): Promise<string> =>
  ((await response.json()) as { choices: [{ message: { content: string } }] }).choices[0].message.content

describe('a gateway over routes', () => {
  const [big, small] = [scripted(() => whole('big')), scripted(() => whole('small'))]
  const made: string[] = []
  const vendor = Object.assign(
    (model: string) => {
      made.push(model)
      return { ...small.target, model }
    },
    { provider: small.target.provider },
  )
  const gateway = (principal: Principal) =>
    createGateway({
      authenticate: () => principal,
      route: models({
        big: big.target,
        small: small.target,
        smart: fallback('big', 'small'),
        cold: withParameters('small', { temperature: 0, max_completion_tokens: 5 }),
        trial: split({ big: 1, small: 0 }, 'key'),
        'acme/*': vendor,
      }),
    })

  it('skips places that a caller may not use, and refuses where none is left', async () => {
    const one = gateway({ id: 'ann', models: ['smart', 'small', 'trial'] })
    expect(await answerOf(await one.fetch(asked('smart')))).toBe('small')
    const refused = await one.fetch(asked('trial'))
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({
      error: { code: 'model_not_found', message: 'You do not have access to model `trial`.' },
    })
    const { candidates } = await one.explain(asked('smart'))
    expect(candidates).toMatchObject([
      { via: 'big', skipped: { why: 'not_allowed', detail: 'big' } },
      { via: 'small' },
    ])
    expect(await answerOf(await gateway({ id: 'bob' }).fetch(asked('smart')))).toBe('big')
  })

  it('asks a place with its own parameters', async () => {
    await gateway({ id: 'ann' }).fetch(asked('cold', { temperature: 1, max_completion_tokens: 50 }))
    expect(small.inputs.at(-1)).toMatchObject({ temperature: 0, max_completion_tokens: 5 })
  })

  it('serves names that fit a pattern, by the name that was asked for, and does not list them', async () => {
    const one = gateway({ id: 'ann', models: ['acme/nice-*', 'big'] })
    const response = await one.fetch(asked('acme/nice-one'))
    expect(await response.json()).toMatchObject({ model: 'acme/nice-one' })
    expect(made).toEqual(['nice-one'])
    expect((await one.fetch(asked('acme/other'))).status).toBe(403)
    expect((await one.fetch(asked('acme/../other'))).status).toBe(404)
    expect((await one.fetch(asked('other/nice-one'))).status).toBe(404)
    const list = await one.fetch(new Request('http://sluice.test/v1/models'))
    expect(await list.json()).toMatchObject({ data: [{ id: 'big' }] })
    expect(one.models).toEqual(['big', 'small', 'smart', 'cold', 'trial'])
  })
})
