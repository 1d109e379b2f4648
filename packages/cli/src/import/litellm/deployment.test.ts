import { expect, it } from 'vitest'
import { ImportReader } from '../import-reader.ts'
import { priceOf } from './deployment.ts'

const priced = (given: object) => priceOf(new ImportReader(given).root, new ImportReader({}).root)
const usual = { input_cost_per_token: 0.00000015, output_cost_per_token: '6e-7' }

it('takes the prices of service tiers along, where both sides have one', () => {
  const priority = { input_cost_per_token_priority: 3e-7, output_cost_per_token_priority: 12e-7 }
  expect(priced(usual)).toEqual({ input: 0.15, output: 0.6 })
  expect(
    priced({
      ...usual,
      ...priority,
      cache_read_input_token_cost_priority: 1e-7,
      output_cost_per_token_flex: 1,
    }),
  ).toEqual({ input: 0.15, output: 0.6, tiers: { priority: { input: 0.3, output: 1.2, cachedInput: 0.1 } } })
  expect(priced(priority)).toBeUndefined()
})
