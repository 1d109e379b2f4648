import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ListedModel } from '../../contracts/dialect.ts'
import { messagesModels } from './models.ts'

const created = 1_767_323_045
const models: readonly ListedModel[] = Array.from({ length: 45 }, (_, index) => ({
  id: `m${index}`,
  created,
  owned_by: 'sluice',
}))
const ids = (from: number, to: number) => models.slice(from, to).map(({ id }) => id)

interface Page {
  readonly data: readonly { readonly id: string }[]
  readonly has_more: boolean
  readonly first_id: string | null
  readonly last_id: string | null
}
const list = (query: string, of = models) => messagesModels.list(of, new URLSearchParams(query)) as Page

describe('the models of messages', () => {
  it('are listed for clients that send the version of the API', () => {
    expect(messagesModels.accepts(new Headers({ 'Anthropic-Version': '2023-06-01' }))).toBe(true)
    expect(messagesModels.accepts(new Headers({ 'x-api-key': 'k' }))).toBe(false)
  })

  it('have a name, a date and the bounds that are known', () => {
    expect(messagesModels.show(models[0]!)).toEqual({
      type: 'model',
      id: 'm0',
      display_name: 'm0',
      created_at: '2026-01-02T03:04:05Z',
    })
    expect(
      messagesModels.show({ ...models[0]!, contextTokens: 200_000, maxOutputTokens: 64_000 }),
    ).toMatchObject({
      max_input_tokens: 200_000,
      max_tokens: 64_000,
    })
  })

  it.each([
    [Number.NaN, '1970-01-01T00:00:00Z'],
    [-1, '1970-01-01T00:00:00Z'],
    [1e300, '9999-12-31T23:59:59Z'],
  ])('have a valid date also where a route returns %s', (seconds, date) => {
    expect(messagesModels.show({ ...models[0]!, created: seconds })).toMatchObject({ created_at: date })
  })

  it.each([
    ['', ids(0, 20), true],
    ['limit=1', ids(0, 1), true],
    ['limit=1000', ids(0, 45), false],
    ['limit=45&after_id=', ids(0, 45), false],
    ['after_id=m19', ids(20, 40), true],
    ['after_id=m39&other=1', ids(40, 45), false],
    ['after_id=m44', [], false],
    ['before_id=m30&limit=10', ids(20, 30), true],
    ['before_id=m5&limit=10', ids(0, 5), false],
    ['before_id=m0', [], false],
  ])('have a page for %j', (query, expected, more) => {
    const page = list(query)
    expect(page.data.map(({ id }) => id)).toEqual(expected)
    expect([page.has_more, page.first_id, page.last_id]).toEqual([
      more,
      expected[0] ?? null,
      expected.at(-1) ?? null,
    ])
  })

  it('are none of none', () => {
    expect(list('', [])).toEqual({ data: [], has_more: false, first_id: null, last_id: null })
  })

  it.each(['0', '1001', '-1', '1.5', '1e2', 'all', '9'.repeat(400)])('refuse the limit %s', limit => {
    expect(() => list(`limit=${limit}`)).toThrow(
      expect.objectContaining({
        status: 400,
        param: 'limit',
        message: 'Expected a whole number from 1 to 1000.',
      }),
    )
  })

  it.each([
    ['after_id=none', 'after_id'],
    ['before_id=none', 'before_id'],
    ['before_id=m1&after_id=m2', 'before_id'],
  ])('refuse %s', (query, param) => {
    expect(() => list(query)).toThrow(expect.objectContaining({ status: 400, param }))
  })

  it('are read whole page by page, in both directions', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), limit => {
        const forward: string[] = []
        for (let page = list(`limit=${limit}`); ; ) {
          forward.push(...page.data.map(({ id }) => id))
          if (!page.has_more) break
          page = list(`limit=${limit}&after_id=${page.last_id}`)
        }
        expect(forward).toEqual(ids(0, 45))
        const backward: string[] = ['m44']
        for (let page = list(`limit=${limit}&before_id=m44`); ; ) {
          backward.unshift(...page.data.map(({ id }) => id))
          if (!page.has_more) break
          page = list(`limit=${limit}&before_id=${page.first_id}`)
        }
        expect(backward).toEqual(ids(0, 45))
      }),
    )
  })
})
