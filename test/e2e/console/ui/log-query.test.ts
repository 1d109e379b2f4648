import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { logParameters, logQuery, logSearch } from '../../../../packages/console/ui/log/log-query.ts'

describe('the query of the request log', () => {
  it('is the same when it is read from its address', () => {
    const text = fc.string({ unit: 'grapheme' })
    const query = fc.record({
      span: fc.constantFrom('', '1h', '7d'),
      model: text,
      key: text,
      user: text,
      outcome: text,
      status: text,
      tag: text,
      errorText: text,
      after: text,
    })
    fc.assert(
      fc.property(query, given => {
        expect(logQuery(logSearch(given))).toEqual(given)
      }),
    )
  })

  it('becomes parameters of the API, with a time for its span', () => {
    const parameters = logParameters(logQuery('?span=1h&status=5xx&model= m &other=x'), 5_000_000)
    expect(Object.fromEntries(parameters)).toEqual({ from: '1400000', status: '5xx', model: 'm' })
    expect(Object.fromEntries(logParameters(logQuery('?span=constructor'), 5))).toEqual({})
  })
})
