import { describe, expect, it } from 'vitest'
import type { RoutedTarget } from '../contracts/route.ts'
import { authorizeTargets, Permissions } from './authorize.ts'

const ann = { id: 'ann' }

it('lets in on true, and on nothing else that is truthy', async () => {
  const asked: unknown[] = []
  const permissions = new Permissions(ann, async (...given) => {
    asked.push(...given)
    return true
  })
  expect(await permissions.allowsModel('m', [[]])).toBe(true)
  expect(asked).toEqual([ann, 'm'])
  for (const odd of [1, 'yes', {}, '', 0]) {
    await expect(new Permissions(ann, () => odd as never).allowsModel('m', [[]])).rejects.toThrow(
      new TypeError(`authorize returned an invalid value: got ${typeof odd}, expected true or false.`),
    )
  }
})

it.each([false, undefined, null])('refuses the model on %j', async no => {
  expect(await new Permissions(ann, () => no as false).allowsModel('m', [[]])).toBe(false)
  const refused = authorizeTargets(ann, 'm', [], () => no as false, { skip: () => {} })
  await expect(refused).rejects.toMatchObject({ status: 403, reason: 'model_not_allowed' })
})

describe('places that were reached by other names', () => {
  const provider = { name: 'p', encode: () => {}, decode: () => {} } as unknown as RoutedTarget['provider']
  const place = (model: string, ...via: string[]): RoutedTarget =>
    via.length === 0 ? { provider, model } : { provider, model, via }

  function asking(places: readonly RoutedTarget[], allowed: readonly string[]) {
    const asked: string[] = []
    const skipped: unknown[] = []
    const given = authorizeTargets(
      ann,
      'smart',
      places,
      (_, model) => {
        asked.push(model)
        return allowed.includes(model)
      },
      { skip: ({ model }, { why, detail }) => skipped.push([model, why, detail]) },
    )
    return { given, asked, skipped }
  }

  it('need leave for all those names, each of which is asked for once', async () => {
    const places = [
      place('a', 'big'),
      place('b', 'big', 'huge'),
      place('c', 'big'),
      place('d'),
      place('e', 'smart'),
    ]
    const { given, asked, skipped } = asking(places, ['smart', 'big'])
    expect(await given).toEqual([places[0], places[2], places[3], places[4]])
    expect(asked).toEqual(['smart', 'big', 'huge'])
    expect(skipped).toEqual([['b', 'not_allowed', 'huge']])
  })

  it('are the list itself where there are none', async () => {
    const places = [place('a'), place('b')]
    const { given, asked } = asking(places, ['smart'])
    expect(await given).toBe(places)
    expect(asked).toEqual(['smart'])
  })

  it('stand once in the list, by the first way that is allowed', async () => {
    const places = [place('a', 'big'), place('a', 'small'), place('a')]
    expect(await asking(places, ['smart', 'small']).given).toEqual([places[1]])
    expect(await asking(places, ['smart']).given).toEqual([places[2]])
    await expect(asking(places, []).given).rejects.toMatchObject({ status: 403 })
  })

  it('are refused by the name that was asked for where none is left', async () => {
    const { given, skipped } = asking([place('a', 'secret'), place('b', 'secret')], ['smart'])
    await expect(given).rejects.toMatchObject({
      status: 403,
      reason: 'model_not_allowed',
      message: 'You do not have access to model `smart`.',
    })
    expect(skipped).toHaveLength(2)
  })

  it('are not asked for where the name itself is refused', async () => {
    const { given, asked } = asking([place('a', 'big')], ['big'])
    await expect(given).rejects.toMatchObject({ reason: 'model_not_allowed' })
    expect(asked).toEqual(['smart'])
  })

  it('have to tell a list of names', async () => {
    const odd = { ...place('a'), via: 'big' as never }
    await expect(asking([odd], ['smart', 'big']).given).rejects.toThrow(/an invalid via/)
  })
})
