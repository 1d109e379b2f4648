import type { Hook } from '@sluice/core'
import { describe, expect, it } from 'vitest'
import { callerKey, consoleService } from './console-service.ts'

const hooks: readonly Hook[] = [
  { name: 'first', onRequest: () => undefined, onChunk: () => undefined },
  {
    name: 'second',
    onFailure: 'open',
    timeoutMs: 50,
    models: ['small*'],
    operations: ['generate'],
    appliesTo: () => true,
    onResponse: () => undefined,
    onEnd: () => {},
  },
]

describe('hooks in the console', () => {
  it('are listed in their order, with their settings', async () => {
    const { api } = consoleService({ console: { hooks }, gateway: { hooks } })
    expect(await (await api('/about')).json()).toMatchObject({ hooks: true })
    expect(await (await api('/hooks')).json()).toEqual({
      hooks: [
        {
          name: 'first',
          functions: ['onRequest', 'onChunk'],
          onFailure: 'closed',
          timeoutMs: 1_000,
          choosesPrincipals: false,
        },
        {
          name: 'second',
          functions: ['onResponse', 'onEnd'],
          onFailure: 'open',
          timeoutMs: 50,
          models: ['small*'],
          operations: ['generate'],
          choosesPrincipals: true,
        },
      ],
    })
    expect((await api('/hooks?x=1')).status).toBe(400)
  })

  it('are those of now, if they are given as a function', async () => {
    let current = hooks
    const { api } = consoleService({ console: { hooks: () => current } })
    current = hooks.slice(1)
    expect(await (await api('/hooks')).json()).toMatchObject({ hooks: [{ name: 'second' }] })
  })

  it('say in a request what they did, and how long it took', async () => {
    const { api, chat } = consoleService({ gateway: { hooks } })
    const response = await chat()
    await response.text()
    const { hooks: did } = await (await api(`/requests/${response.headers.get('x-request-id')}`)).json()
    expect(did).toEqual([
      { name: 'first', outcome: 'passed', ms: expect.any(Number) },
      { name: 'second', outcome: 'passed', ms: expect.any(Number) },
    ])
  })

  it('are for the admin key only, and 404 if the console was given none', async () => {
    const { fetch } = consoleService({ console: { hooks } })
    for (const headers of [{}, { authorization: `Bearer ${callerKey}` }]) {
      const answer = await fetch('/console/api/hooks', { headers })
      expect([answer.status, (await answer.text()).includes('second')]).toEqual([401, false])
    }
    expect((await consoleService().api('/hooks')).status).toBe(404)
  })

  it.each([['hooks'], [{}], [[{}]]])('are no %j', invalid => {
    expect(() => consoleService({ console: { hooks: invalid as never } })).toThrow(/hooks: got/)
  })
})
