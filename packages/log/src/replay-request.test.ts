import type { RecordedBodies } from '@sluice/core/store'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ReplayError, replayBody, responseText } from './replay-request.ts'

const stored: RecordedBodies = {
  requestId: 'req_1',
  at: 0,
  principal: { id: 'ann' },
  operation: 'generate',
  dialect: 'chat',
  path: '/v1/chat/completions',
  model: 'm',
  stream: false,
  status: 200,
  outcome: 'completed',
  request: '{ "model": "m" }',
  response: undefined,
  requestOmitted: false,
  responseTruncated: false,
}
const events = (...data: object[]) =>
  `${data.map(each => `event: x\ndata: ${JSON.stringify(each)}\n\n`).join('')}data: [DONE]\n\n`

describe('replayBody', () => {
  it('returns the request as it is, and one of the Responses API without its state', () => {
    expect(replayBody(stored)).toBe('{ "model": "m" }')
    const request = '{"model":"m","input":[],"previous_response_id":"resp_1","background":true,"store":true}'
    expect(JSON.parse(replayBody({ ...stored, dialect: 'responses', request }))).toEqual({
      model: 'm',
      input: [],
      store: false,
    })
  })

  it.each([
    [undefined, /larger than maxBytes/],
    ['{"model', /redact/],
    ['[]', /redact/],
  ])('rejects %s', (request, message) => {
    const replay = () => replayBody({ ...stored, request })
    expect(replay).toThrow(ReplayError)
    expect(replay).toThrow(message)
  })
})

describe('responseText', () => {
  const call = { name: 'weather', arguments: '{"city":"Rome"}' }
  it.each<[string, unknown, string]>([
    [
      'a chat completion',
      { choices: [{ message: { content: 'Hi', tool_calls: [{ function: call }] } }] },
      'Hi\nweather {"city":"Rome"}',
    ],
    ['a refusal', { choices: [{ message: { content: null, refusal: 'No' } }] }, 'No'],
    [
      'a message',
      {
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'tool_use', name: 'weather', input: { city: 'Rome' } },
        ],
      },
      'Hi\nweather {"city":"Rome"}',
    ],
    [
      'a response',
      {
        output: [
          { type: 'reasoning', summary: [] },
          { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] },
          { type: 'function_call', ...call },
        ],
      },
      'Hi\nweather {"city":"Rome"}',
    ],
    ['an error', { error: { message: 'No' } }, '{"error":{"message":"No"}}'],
  ])('has the text of %s', (_, value, text) => {
    expect(responseText(JSON.stringify(value))).toBe(text)
  })

  it('joins streams', () => {
    const chat = events(
      { choices: [{ delta: { role: 'assistant', content: '' } }] },
      { choices: [{ delta: { content: 'H' } }] },
      { choices: [{ delta: { content: 'i' } }] },
      { choices: [{ delta: { tool_calls: [{ function: { name: 'weather', arguments: '' } }] } }] },
      { choices: [{ delta: { tool_calls: [{ function: { arguments: '{"city":"Rome"}' } }] } }] },
      { choices: [], usage: {} },
    )
    const messages = events(
      { type: 'message_start', message: {} },
      { type: 'content_block_start', content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hi' } },
      { type: 'content_block_start', content_block: { type: 'tool_use', name: 'weather' } },
      { type: 'content_block_delta', delta: { type: 'input_json_delta', partial_json: '{"city":"Rome"}' } },
    )
    const responses = events(
      { type: 'response.created', response: { error: null } },
      { type: 'response.output_text.delta', delta: 'Hi' },
      { type: 'response.output_text.done', text: 'Hi' },
      { type: 'response.output_item.added', item: { type: 'function_call', name: 'weather' } },
      { type: 'response.function_call_arguments.delta', delta: '{"city":"Rome"}' },
    )
    for (const stream of [chat, messages, responses]) {
      expect(responseText(stream)).toBe('Hi\nweather {"city":"Rome"}')
    }
    const broken = events({ choices: [{ delta: { content: 'H' } }] }, { error: { message: 'cut' } })
    expect(responseText(broken)).toBe('H\n{"error":{"message":"cut"}}')
  })

  it('takes any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.json().map(json => `data: ${json}\n\n`),
        ),
        text => {
          expect(typeof responseText(text)).toBe('string')
        },
      ),
    )
    for (const value of [{ choices: [null, 1, { message: [] }] }, { content: [null] }, { output: 'x' }]) {
      expect(responseText(JSON.stringify(value))).toBe(JSON.stringify(value))
    }
  })
})
