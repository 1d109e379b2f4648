import type { Call, EncodedRequest } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { scriptedResponse } from '../test/scripted-response.ts'
import { anthropic } from './anthropic.ts'

const call = (stream = false): Call => ({
  model: 'claude-sonnet-4-20250514',
  input: { model: 'public', messages: [{ role: 'user', content: 'hello' }], stream },
})

function encoded(options: Partial<Parameters<typeof anthropic>[0]> = {}, stream = false): EncodedRequest {
  return anthropic({ apiKey: 'sk-test', ...options }).provider.encode(call(stream)) as EncodedRequest
}

describe('anthropic', () => {
  it('is called with a model of the vendor', () => {
    const vendor = anthropic({ apiKey: 'sk-test', maxConcurrent: 3 })
    expect(vendor('claude-sonnet-4-20250514')).toEqual({
      provider: vendor.provider,
      model: 'claude-sonnet-4-20250514',
    })
    expect(vendor.provider).toMatchObject({ name: 'anthropic', maxConcurrent: 3 })
    expect(() => vendor('')).toThrow(TypeError)
  })

  it('asks with the headers that the vendor needs, and no other', () => {
    const { method, url, headers, body, adjustments } = encoded()
    expect({ method, url, headers }).toEqual({
      method: 'POST',
      url: 'https://api.anthropic.com/v1/messages',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'accept-encoding': 'identity',
        'x-api-key': 'sk-test',
        'anthropic-version': '2023-06-01',
      },
    })
    expect(JSON.parse(body as string)).toMatchObject({ model: 'claude-sonnet-4-20250514', max_tokens: 8_192 })
    expect(adjustments).toEqual([{ parameter: 'max_tokens', action: 'defaulted', detail: '8192 tokens' }])
    expect(encoded({}, true).headers.accept).toBe('text/event-stream')
  })

  it('keeps every digit of the numbers in earlier calls, and every other text as it is', () => {
    const content = '"\\ud8001"'
    const input: Call['input'] = {
      model: 'public',
      messages: [
        { role: 'user', content },
        {
          role: 'assistant',
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'f', arguments: '{"id":175928847299117063}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: '175928847299117063' },
      ],
    }
    const { provider } = anthropic({ apiKey: 'sk-test' })
    const body = String((provider.encode({ ...call(), input }) as EncodedRequest).body)
    expect(body).toContain('"input":{"id":175928847299117063}')
    expect(body).toContain('"content":"175928847299117063"')
    expect(JSON.parse(body).messages[0].content[0].text).toBe(content)
  })

  it('can be reached elsewhere, in another version, with betas and further headers', () => {
    const { url, headers, body } = encoded({
      baseURL: 'http://127.0.0.1:9/proxy/',
      version: '2024-01-01',
      beta: ['context-1m-2025-08-07', 'b_2'],
      defaultMaxTokens: 77,
      headers: { 'X-Team': 'blue' },
    })
    expect(url).toBe('http://127.0.0.1:9/proxy/messages')
    expect(headers).toMatchObject({
      'anthropic-version': '2024-01-01',
      'anthropic-beta': 'context-1m-2025-08-07,b_2',
      'x-team': 'blue',
    })
    expect(JSON.parse(body as string).max_tokens).toBe(77)
    expect(encoded({ beta: [] }).headers).not.toHaveProperty('anthropic-beta')
  })

  it('writes the same request for the same call', () => {
    expect(encoded()).toEqual(encoded())
  })

  it('reads what was answered', async () => {
    const { provider } = anthropic({ apiKey: 'sk-test' })
    const body = JSON.stringify({
      type: 'message',
      content: [{ type: 'text', text: 'hi' }],
      stop_reason: 'end_turn',
    })
    expect(await provider.decode(scriptedResponse({ body }), call())).toMatchObject({
      kind: 'completion',
      completion: { choices: [{ index: 0, message: { content: 'hi' }, finish_reason: 'stop' }] },
    })
  })

  it.each([
    [{ apiKey: '' }, /apiKey: got an empty string/],
    [{ apiKey: undefined }, /apiKey: got undefined, expected a key.* ANTHROPIC_API_KEY/],
    [{ apiKey: 'a\nb' }, /apiKey: got a string, expected one without/],
    [{ baseURL: 'https://api.anthropic.com/v1/messages' }, /path of the operation/],
    [{ baseURL: 'ftp://x' }, /http or https/],
    [{ version: '' }, /version/],
    [{ beta: 'context-1m' }, /beta has to be an array/],
    [{ beta: ['a,b'] }, /beta has to be an array/],
    [{ defaultMaxTokens: 0 }, /defaultMaxTokens has to be/],
    [{ defaultMaxTokens: 1.5 }, /defaultMaxTokens has to be/],
    [{ headers: { 'x-api-key': 'other' } }, /headers\.x-api-key: got a string, expected each header once/],
    [{ headers: { 'anthropic-version': 'other' } }, /expected each header once/],
    [{ maxConcurrent: 0 }, /maxConcurrent/],
    [{ organisation: 'x' }, /organisation: got a string, expected no such option/],
  ])('refuses %j', (options, message) => {
    const given = { apiKey: 'sk-test', ...options } as Parameters<typeof anthropic>[0]
    expect(() => anthropic(given)).toThrow(TypeError)
    expect(() => anthropic(given)).toThrow(message)
  })
})
