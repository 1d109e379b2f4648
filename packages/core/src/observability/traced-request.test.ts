import { describe, expect, it } from 'vitest'
import { carriedHeaders } from './traced-request.ts'

function carried(own: Record<string, string>, added: Record<string, unknown>) {
  const refused: string[] = []
  return { headers: carriedHeaders(own, added, name => refused.push(name)), refused }
}

describe('carriedHeaders', () => {
  it('adds to what a provider wrote, and changes none of it', () => {
    const own = { Authorization: 'Bearer sk-1', traceparent: 'own' }
    const added = { authorization: 'Bearer other', TraceParent: 'other', tracestate: 'a=1' }
    expect(carried(own, added)).toEqual({ headers: { ...own, tracestate: 'a=1' }, refused: [] })
    expect(own).toEqual({ Authorization: 'Bearer sk-1', traceparent: 'own' })
  })

  it.each([
    ['a name that is no token', 'trace parent', 'a'],
    ['no name', '', 'a'],
    ['a line break', 'tracestate', 'a\r\nx-api-key: b'],
    ['a zero byte', 'tracestate', 'a\0'],
    ['what no byte can hold', 'tracestate', 'ü€'],
    ['no text', 'tracestate', 7],
    ['a frame', 'Content-Length', '3'],
    ['another frame', 'transfer-encoding', 'chunked'],
    ['a host', 'Host', 'elsewhere.example'],
  ])('refuses %s', (_, name, value) => {
    expect(carried({ a: '1' }, { [name]: value, b: 'é' })).toEqual({
      headers: { a: '1', b: 'é' },
      refused: [name],
    })
  })

  it('adds one of two names that differ in case alone', () => {
    expect(carried({}, { b3: 'x', B3: 'y' }).headers).toEqual({ b3: 'x' })
  })

  it('leaves the prototype alone', () => {
    const { headers } = carried({}, JSON.parse('{"__proto__":"a"}'))
    expect(Object.getPrototypeOf(headers)).toBe(Object.prototype)
    expect(Object.keys(headers)).toEqual(['__proto__'])
  })
})
