import { describe, expect, it } from 'vitest'
import { openTelemetry } from './opentelemetry.ts'

describe('openTelemetry', () => {
  it('names every option that is wrong', () => {
    const wrong = {
      incoming: 'no',
      outgoing: [1],
      tags: 'team',
      content: 1,
      tracerProvider: {},
      colour: true,
    }
    const message = (() => {
      try {
        openTelemetry(wrong as never)
      } catch (error) {
        return (error as TypeError).message
      }
      return ''
    })()
    expect(message.split('\n')).toEqual([
      'openTelemetry got options that it cannot use:',
      "- incoming: got 'no', expected true or false",
      '- outgoing: got object, expected true, false or a list of names of providers',
      "- tags: got 'team', expected a list of names",
      '- content: got number, expected true or false',
      '- tracerProvider: got object, expected a TracerProvider',
      '- colour: got boolean, expected no such option',
    ])
  })

  it('does nothing where no SDK is there, and fails nothing', () => {
    const { tracer } = openTelemetry({ tags: ['team'], outgoing: true })
    const span = tracer.start(
      new Request('http://sluice.test/', { headers: { traceparent: 'rubbish' } }),
      'req_1',
    )
    const asked = { provider: 'a', model: 'm', why: 'first', input: { model: 'm', messages: [] } } as const
    const attempt = span?.attempt({ ...asked, address: undefined, port: undefined })
    expect(attempt?.headers).toEqual({})
    let ran = 0
    span?.within?.(() => ran++)
    expect(ran).toBe(1)
  })
})
