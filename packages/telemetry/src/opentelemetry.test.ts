import { ConfigurationError } from '@sluice/core'
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
    const make = () => openTelemetry(wrong as never)
    expect(make).toThrow(ConfigurationError)
    expect(make).toThrow(
      expect.objectContaining({
        issues: Object.keys(wrong).map(name => expect.objectContaining({ path: [name] })),
      }),
    )
    expect(make).toThrow(
      [
        'openTelemetry(): 6 options cannot be used:',
        "- incoming: got 'no', expected true or false",
        '- outgoing: got a list, expected true, false or a list of names of providers',
        "- tags: got 'team', expected a list of names",
        '- content: got 1, expected true or false',
        '- tracerProvider: got an empty object, expected a TracerProvider',
        '- colour: got true, expected no such option',
      ].join('\n'),
    )
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
