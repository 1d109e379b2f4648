import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { beginOf } from '../../../../packages/console/src/recent/fake-events.ts'
import { startedRequest } from '../../../../packages/console/src/recent/request-detail.ts'
import {
  matchesQuery,
  requestQuery,
  requestSearch,
} from '../../../../packages/console/ui/requests/request-query.ts'

const row = { ...startedRequest(beginOf('req_1'), 'team'), provider: 'north', error: 'first_byte_timeout' }
const names = new Map([['ann', "Ann's notebook"]])

describe('the filters of requests', () => {
  it('are the same when they are read from their address', () => {
    const text = fc.string({ unit: 'grapheme' })
    fc.assert(
      fc.property(
        fc.record({ q: text, model: text, key: text, outcome: fc.constantFrom('', 'refused') }),
        given => {
          expect(requestQuery(requestSearch(given as never))).toEqual(given)
        },
      ),
    )
    expect(requestSearch(requestQuery('?other=1'))).toBe('')
  })

  it.each([
    ['', true],
    ['?q=req_1', true],
    ['?q=NOTEBOOK+north', true],
    ['?q=first_byte', true],
    ['?q=notebook+south', false],
    ['?model=m&outcome=running', true],
    ['?model=other', false],
    ['?outcome=completed', false],
    ['?key=+ann', true],
    ['?key=console+ann', false],
  ])('match by %s: %s', (search, matches) => {
    expect(matchesQuery(row, requestQuery(search), names)).toBe(matches)
  })
})
