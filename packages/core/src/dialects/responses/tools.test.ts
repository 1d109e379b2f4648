import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../protocol/chat.ts'
import { readTools } from './tools.ts'

const search = { type: 'web_search' }
const read = (...tools: JsonObject[]) => {
  const { settings, losses } = readTools({ tools })
  return { ...settings, losses: losses.map(({ path, kind }) => `${kind} ${path}`) }
}

describe('a search of the web, and nothing else', () => {
  it('is that of the vendor, with its size and its location', () => {
    const location = { type: 'approximate', country: 'NO', city: 'Oslo', region: null }
    expect(read({ ...search, search_context_size: 'low', user_location: location })).toEqual({
      web_search_options: {
        search_context_size: 'low',
        user_location: { type: 'approximate', approximate: { country: 'NO', city: 'Oslo' } },
      },
      losses: [],
    })
    expect(read({ ...search, user_location: null, filters: null, external_web_access: true })).toEqual({
      web_search_options: {},
      losses: [],
    })
  })

  it('is refused with limits that other vendors do not have', () => {
    const filters = { allowed_domains: ['a.test'] }
    expect(read({ ...search, filters, external_web_access: false }).losses).toEqual([
      'content tools[0].filters',
      'content tools[0].external_web_access',
    ])
    expect(read({ ...search, filters: { allowed_domains: null } }).losses).toEqual([])
  })
})
