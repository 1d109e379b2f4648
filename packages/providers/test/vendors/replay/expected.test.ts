import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { type Answered, nothingSaid } from '../../../../../test/e2e/replay/said.ts'
import { type Expected, expectAnswered, expectError } from './expected.ts'

const text = 'x'.repeat(400)
const digest = {
  length: 400,
  sha256: createHash('sha256').update(text).digest('hex'),
  starts: 'xxx',
  ends: 'xxx',
}
const counts = { prompt: 1, completion: 2, cached: 0, cacheWrite: 0, reasoning: 0 }
const detail = { type: 'reasoning.text', text, signature: 's' }

function answered(change: Partial<Answered['choices'][number]> = {}, of: Partial<Answered> = {}): Answered {
  const said = {
    ...nothingSaid(),
    text,
    finish: 'tool_calls',
    calls: [{ id: 'a', name: 'f', arguments: '{"b": 1}' }],
    details: [detail],
    detailDeltas: 1,
    ...change,
  }
  return { choices: [said], usage: { prompt: 1, completion: 2 }, counts, error: false, ...of }
}

const expected: Expected = {
  choices: [
    {
      text: digest,
      finish: 'tool_calls',
      calls: [{ id: 'a', name: 'f', arguments: { b: 1 } }],
      details: [{ type: 'reasoning.text', text: digest, signature: 's' }],
    },
  ],
  usage: { prompt: 1, completion: 2 },
}

it('passes what was expected', () => {
  expectAnswered(answered(), expected)
})

it.each([
  ['another text', answered({ text: `${text.slice(1)}y` })],
  ['a shorter text', answered({ text: text.slice(1) })],
  ['further reasoning', answered({ reasoning: 'Hm.' })],
  ['a refusal', answered({ refusal: 'No.' })],
  ['another finish', answered({ finish: 'stop' })],
  ['another call', answered({ calls: [{ id: 'a', name: 'f', arguments: '{"b":2}' }] })],
  ['another id', answered({ calls: [{ id: 'b', name: 'f', arguments: '{"b":1}' }] })],
  ['a signature of the call', answered({ calls: [{ id: 'a', name: 'f', arguments: '{"b":1}', extra: {} }] })],
  ['no call', answered({ calls: [] })],
  ['other details', answered({ details: [{ ...detail, text: 'x' }] })],
  ['no details', answered({ details: [] })],
  ['details in pieces', answered({ detailDeltas: 2 })],
  ['an annotation', answered({ annotations: [{}] })],
  ['a citation', answered({ citations: [{}] })],
  ['other counts', answered({}, { counts: { ...counts, cached: 1 } })],
  ['no counts', { choices: answered().choices, usage: undefined, error: false }],
  ['another choice', answered({}, { choices: [...answered().choices, nothingSaid()] })],
])('does not pass %s', (_, other) => {
  expect(() => expectAnswered(other, expected)).toThrow()
})

const error = { message: 'It is too long.', type: 'invalid_request_error', param: null, code: 'c' }
const told = { code: 'c', type: 'invalid_request_error', message: 'too long' }

it('passes the error that was expected', () => {
  expectError({ error }, told)
})

it.each([
  ['another code', { error: { ...error, code: null } }],
  ['another type', { error: { ...error, type: 'x' } }],
  ['a parameter', { error: { ...error, param: 'x' } }],
  ['other words', { error: { ...error, message: 'It failed.' } }],
  ['a further key', { error: { ...error, status: 400 } }],
])('does not pass an error with %s', (_, other) => {
  expect(() => expectError(other, told)).toThrow()
})
