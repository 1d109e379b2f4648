import { expect, it } from 'vitest'
import { knownVendors } from './environment-vendors.ts'
import { knownModels, vendorOfKnown } from './known-models.ts'

it('has a few dozen models, each of one vendor whose key is known, under a name that leads nowhere else', () => {
  const ids = Object.values(knownModels).flat()
  expect(ids.length).toBeGreaterThan(36)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^[\w.-]+$/)
  for (const vendor of Object.keys(knownModels))
    expect(knownVendors.map(({ name }) => name)).toContain(vendor)
  expect([vendorOfKnown('gpt-4o'), vendorOfKnown('nobody')]).toEqual(['openai', undefined])
})
