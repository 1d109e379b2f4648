import {
  type Attributes,
  INVALID_SPAN_CONTEXT,
  type Span,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import { ConfigurationError, type Operation } from '@sluice/core'
import { describe, expect, it } from 'vitest'
import { ended } from './fake-events.ts'
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

  it('names spans by their operation, and tells the dialect, and the end user only where that is asked for', () => {
    const spans: { name: string; attributes: Attributes }[] = []
    const tracerProvider: TracerProvider = {
      getTracer: () => ({
        startSpan: (name, options) => {
          const made = { name, attributes: { ...options?.attributes } }
          spans.push(made)
          const span: Span = Object.assign(trace.wrapSpanContext(INVALID_SPAN_CONTEXT), {
            isRecording: () => true,
            setAttributes: (more: Attributes) => {
              Object.assign(made.attributes, more)
              return span
            },
            updateName: (name: string) => {
              made.name = name
              return span
            },
          })
          return span
        },
        startActiveSpan: () => {
          throw new Error('not of these tests')
        },
      }),
    }
    const asked = {
      provider: 'a',
      model: 'm-1',
      why: 'first',
      input: { model: 'm-1', messages: [] },
    } as const
    const told = (operation: Operation, dialect: string, user: boolean) => {
      spans.length = 0
      const { tracer } = openTelemetry({ tracerProvider, user })
      const span = tracer.start(new Request('http://sluice.test/'), 'req_1', operation)
      span?.attempt({ ...asked, address: undefined, port: undefined })
      span?.end(ended({ operation, dialect, user: 'eve' }), undefined)
      return spans.map(({ name, attributes }) => [
        name,
        attributes['gen_ai.operation.name'],
        attributes['sluice.dialect'],
        attributes['user.id'],
      ])
    }
    expect(told('generate', 'chat', false)).toEqual([
      ['chat big', 'chat', 'chat', undefined],
      ['chat m-1', 'chat', undefined, undefined],
    ])
    expect(told('embed', 'embeddings', true)).toEqual([
      ['embeddings big', 'embeddings', 'embeddings', 'eve'],
      ['embeddings m-1', 'embeddings', undefined, undefined],
    ])
    expect(told('countTokens', 'messages', true)[0]).toEqual([
      'count_tokens big',
      'count_tokens',
      'messages',
      'eve',
    ])
  })

  it('does nothing where no SDK is there, and fails nothing', () => {
    const { tracer } = openTelemetry({ tags: ['team'], outgoing: true })
    const span = tracer.start(
      new Request('http://sluice.test/', { headers: { traceparent: 'rubbish' } }),
      'req_1',
      'generate',
    )
    const asked = { provider: 'a', model: 'm', why: 'first', input: { model: 'm', messages: [] } } as const
    const attempt = span?.attempt({ ...asked, address: undefined, port: undefined })
    expect(attempt?.headers).toEqual({})
    let ran = 0
    span?.within?.(() => ran++)
    expect(ran).toBe(1)
  })
})
