import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Authorizer } from '../../src/contracts/authorizer.ts'
import type { Route } from '../../src/contracts/route.ts'
import { GatewayError } from '../../src/errors/errors.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { when } from '../../src/routing/conditions.ts'
import { fallback } from '../../src/routing/fallback.ts'
import { hedge } from '../../src/routing/hedge.ts'
import { mirror } from '../../src/routing/mirror.ts'
import { type ModelEntries, models } from '../../src/routing/models.ts'
import { split } from '../../src/routing/split.ts'
import { weighted } from '../../src/routing/weighted.ts'
import { scripted, whole } from '../support/scripted-gateway.ts'

const { target } = scripted(() => whole('Hi.'))
const at = (model: string) => ({ ...target, model })

function serving(route: Route, authorize: Authorizer) {
  const gateway = createGateway({ authenticate: () => ({ id: 'ann' }), route, authorize })
  const get = (path: string) => gateway.fetch(new Request(`http://sluice.test/v1/models${path}`))
  const chat = (model: string) =>
    new Request('http://sluice.test/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] }),
    })
  return {
    list: async () => {
      const response = await get('')
      const { data } = (await response.json()) as { data?: { id: string }[] }
      return { status: response.status, ids: data?.map(({ id }) => id) }
    },
    /** The status of each way to ask for a model. */
    statuses: async (model: string) => {
      const explained = await gateway.explain(chat(model))
      return {
        show: (await get(`/${model}`)).status,
        call: (await gateway.fetch(chat(model))).status,
        explain: explained.refusal?.status ?? 200,
      }
    },
  }
}

const table = (entries: ModelEntries<string>) => models(entries)
const only =
  (...allowed: string[]): Authorizer =>
  (_, model) =>
    allowed.includes(model)

describe('the list of models', () => {
  it.each([1, 'yes', {}, 0, ''])('is a 500 where authorize gives %j, as a call is', async odd => {
    const { list, statuses } = serving(table({ a: at('a') }), () => odd as never)
    expect(await list()).toEqual({ status: 500, ids: undefined })
    expect(await statuses('a')).toEqual({ show: 500, call: 500, explain: 500 })
  })

  it('is a 500 where authorize throws for one model', async () => {
    const { list } = serving(table({ a: at('a'), b: at('b') }), (_, model) => {
      if (model === 'b') throw new Error('The database is down.')
      return true
    })
    expect(await list()).toEqual({ status: 500, ids: undefined })
  })

  it('leaves out a model that authorize refuses by throwing, and passes an outage on', async () => {
    const refusing = (reason: 'model_not_allowed' | 'model_not_found' | 'authentication_unavailable') =>
      serving(table({ a: at('a'), b: at('b') }), (_, model) => {
        if (model === 'a') throw new GatewayError(reason)
        return true
      })
    expect(await refusing('model_not_allowed').list()).toEqual({ status: 200, ids: ['b'] })
    expect(await refusing('model_not_found').list()).toEqual({ status: 200, ids: ['b'] })
    expect(await refusing('authentication_unavailable').list()).toEqual({ status: 503, ids: undefined })
  })

  it('leaves out a model whose targets all need a name that the caller may not use', async () => {
    const entries = table({
      secret: at('s'),
      alias: 'secret',
      deep: 'alias',
      either: fallback('secret', at('own')),
      both: fallback('secret', 'alias'),
      raced: hedge('secret', 'open', { afterMs: 10 }),
      weighed: weighted(['secret', 1], ['alias', 1]),
      copied: mirror('secret', at('shadow')),
      never: split({ secret: [fallback('secret', 'alias'), 1], open: [at('o'), 0] }),
      chosen: when(() => true, 'secret', at('own')),
      open: at('o'),
    })
    const names = entries.list().map(({ id }) => id)
    const { list } = serving(entries, only(...names.filter(name => name !== 'secret')))
    expect((await list()).ids).toEqual(['either', 'raced', 'chosen', 'open'])
    expect((await serving(entries, only(...names)).list()).ids).toEqual(names)
  })

  it('holds what can be called, and nothing else', async () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    // An entry refers to those before it alone, so that none leads back to itself.
    const entry = (index: number) =>
      fc.array(fc.integer({ min: -1, max: index - 1 }), { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(...names.map((_, index) => entry(index))),
        fc.subarray(names),
        fc.boolean(),
        async (entries, allowed, late) => {
          const rows = entries.map((refs, index) => [
            names[index]!,
            refs.map((ref, nth) => (ref < 0 ? at(`${names[index]}${nth}`) : names[ref]!)),
          ])
          const authorize: Authorizer = (_, model) =>
            late ? Promise.resolve(allowed.includes(model)) : allowed.includes(model)
          const { list, statuses } = serving(table(Object.fromEntries(rows)), authorize)
          const { ids } = await list()
          for (const name of names) {
            const status = ids?.includes(name) ? 200 : 403
            expect(await statuses(name)).toEqual({ show: status, call: status, explain: status })
          }
        },
      ),
      { numRuns: 50 },
    )
  })

  it('keeps its order, and asks for several models at once, each name once and no more than 16 at a time', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `m${index}`)
    const entries = table(Object.fromEntries(names.map((name, n) => [name, n === 0 ? at(name) : 'm0'])))
    const asked: string[] = []
    let waiting: (() => void)[] = []
    let most = 0
    const authorize: Authorizer = async (_, model) => {
      asked.push(model)
      const done = new Promise<void>(resolve => {
        waiting.push(resolve)
      })
      most = Math.max(most, waiting.length)
      // The last to come is answered first, as soon as nobody else comes.
      setImmediate(() => {
        for (const answer of waiting.reverse()) answer()
        waiting = []
      })
      await done
      return model !== 'm7'
    }
    const { ids } = await serving(entries, authorize).list()
    expect(ids).toEqual(names.filter(name => name !== 'm7'))
    expect(asked.toSorted()).toEqual(names.toSorted())
    expect(most).toBe(16)
  })
})
