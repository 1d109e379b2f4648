import { describe, expect, it } from 'vitest'
import { place } from '../../test/support/scripted-places.ts'
import type { Adjustment, ParameterOverrides, Target } from '../contracts/provider.ts'
import { possibleTiers, pricedModel } from './prices.ts'

const having = (parameters: ParameterOverrides): Target => ({ ...place('up'), parameters })
const priced = (...[target, request, terms, adjustments]: PricedCall) =>
  pricedModel('generate', 'm', target, 7, request, terms, adjustments)
type PricedCall = [
  target: Target,
  request?: Parameters<typeof pricedModel>[4],
  terms?: Parameters<typeof pricedModel>[5],
  adjustments?: readonly Adjustment[],
]
const priority = { serviceTier: 'priority', searchesWeb: false }
const searching = { serviceTier: undefined, searchesWeb: true }
const dropped = (parameter: string): Adjustment[] => [{ parameter, action: 'dropped' }]

describe('the model to price', () => {
  it.each<[string, PricedCall, string | undefined, number | undefined]>([
    ['nothing', [place('up')], undefined, undefined],
    ['a dear tier', [place('up'), priority], 'priority', undefined],
    ['a cheap tier', [place('up'), { ...priority, serviceTier: 'flex' }], undefined, undefined],
    [
      'another tier than the answer',
      [place('up'), priority, { serviceTier: 'default' }],
      'default',
      undefined,
    ],
    ['a tier that was dropped', [place('up'), priority, {}, dropped('service_tier')], undefined, undefined],
    ['a tier that the target removes', [having({ service_tier: null }), priority], undefined, undefined],
    ['a tier of the target', [having({ service_tier: 'fast' }), priority], 'fast', undefined],
    ['a search', [place('up'), searching], undefined, 1],
    ['three searches', [place('up'), searching, { webSearches: 3 }], undefined, 3],
    ['a search that was not made', [place('up'), searching, { webSearches: 0 }], undefined, undefined],
    [
      'a search that was dropped',
      [place('up'), searching, {}, dropped('web_search_options')],
      undefined,
      undefined,
    ],
    [
      'a search that the target removes',
      [having({ web_search_options: null }), searching],
      undefined,
      undefined,
    ],
    ['a search of the target', [having({ web_search_options: {} }), priority], 'priority', 1],
  ])('knows of %s', (_, call, serviceTier, webSearches) => {
    expect(priced(...call)).toEqual({
      operation: 'generate',
      model: 'm',
      provider: 'acme',
      upstreamModel: 'up',
      responseModel: undefined,
      at: 7,
      serviceTier,
      webSearches,
    })
  })

  it('may be billed by these tiers', () => {
    expect(possibleTiers(place('up'), undefined)).toEqual([])
    expect(possibleTiers(place('up'), priority)).toEqual(['priority', 'default'])
    expect(possibleTiers(place('up'), { ...priority, serviceTier: 'no such tier' })).toEqual([])
    expect(possibleTiers(having({ service_tier: 'auto' }), priority)).toEqual(['default', 'priority'])
  })
})
