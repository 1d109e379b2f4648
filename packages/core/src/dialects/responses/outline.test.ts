import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Outline } from '../../contracts/outline.ts'
import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { mediaAllowance } from '../../usage/media.ts'
import { responsesOutline } from './outline.ts'

const outlineOf = (body: JsonObject, headers: Record<string, string> = {}) =>
  responsesOutline(body, 100, new Headers(headers))

function membersOf(outline: Outline) {
  const { stream, user, conversationKey, hasTools, media, maxOutputTokens, hasAudio, serviceTier } = outline
  const { searchesWeb } = outline
  return {
    stream,
    user,
    conversationKey,
    hasTools,
    media,
    maxOutputTokens,
    hasAudio,
    serviceTier,
    searchesWeb,
  }
}

const empty: Outline = {
  stream: false,
  user: undefined,
  conversationKey: undefined,
  hasTools: false,
  media: [],
  maxOutputTokens: undefined,
  hasAudio: false,
  serviceTier: undefined,
  searchesWeb: false,
}

const content = (...parts: JsonObject[]): JsonObject => ({ input: [{ role: 'user', content: parts }] })
const image = 'data:image/png;base64,AAAA'

describe('the outline of a request in the Responses API', () => {
  it.each<[string, JsonObject, Partial<Outline>]>([
    ['nothing', {}, {}],
    ['a stream', { stream: true }, { stream: true }],
    ['no stream', { stream: 'true' }, {}],
    ['a bound', { max_output_tokens: 20 }, { maxOutputTokens: 20 }],
    ['no bound', { max_output_tokens: '20' }, {}],
    ['a bound below 0', { max_output_tokens: -1 }, {}],
    ['a user', { user: 'u' }, { user: 'u' }],
    ['a safety identifier', { safety_identifier: 's' }, { user: 's' }],
    ['a user before a safety identifier', { user: 'u', safety_identifier: 's' }, { user: 'u' }],
    ['a conversation', { prompt_cache_key: 'k' }, { conversationKey: 'k' }],
    ['a name of a conversation that is too long', { prompt_cache_key: 'k'.repeat(513) }, {}],
    ['a tier', { service_tier: 'flex' }, { serviceTier: 'flex' }],
    ['tools', { tools: [{}] }, { hasTools: true }],
    ['tools of an item', { input: [{ type: 'additional_tools', tools: [{}] }] }, { hasTools: true }],
    ['tools of a message', { input: [{ role: 'user', tools: [{}] }] }, {}],
    ['a search', { tools: [{ type: 'web_search_preview' }] }, { hasTools: true, searchesWeb: true }],
    [
      'a search beside other tools, which the vendor may not have',
      { tools: [{ type: 'web_search' }, { type: 'function', name: 'f' }] },
      { hasTools: true },
    ],
    [
      'a search beside other tools that is chosen',
      {
        tools: [{ type: 'web_search' }, { type: 'function', name: 'f' }],
        tool_choice: { type: 'web_search' },
      },
      { hasTools: true, searchesWeb: true },
    ],
    ['members of the prototype', JSON.parse('{"__proto__":{"stream":true}}') as JsonObject, {}],
  ])('reads %s', (_, body, expected) => {
    expect(membersOf(outlineOf(body))).toEqual({ ...empty, ...expected })
  })

  it('takes the session of a header where the body names no conversation', () => {
    for (const name of ['x-claude-code-session-id', 'session-id', 'session_id'])
      expect(outlineOf({}, { [name]: 's' }).conversationKey).toBe('s')
    const both = { 'session-id': 's', 'x-claude-code-session-id': 'c' }
    expect(outlineOf({}, both).conversationKey).toBe('c')
    expect(outlineOf({ prompt_cache_key: 'k' }, { 'session-id': 's' }).conversationKey).toBe('k')
  })

  it('measures media of messages and of outputs of tools', () => {
    const part = { type: 'input_image', image_url: image }
    const media = [{ kind: 'image', tokens: mediaAllowance.image, inlineBytes: 4 }]
    expect(outlineOf(content(part)).media).toEqual(media)
    expect(outlineOf({ input: [{ type: 'function_call_output', output: [part] }] }).media).toEqual(media)
  })

  it('measures each kind of media', () => {
    const { media, hasAudio } = outlineOf(
      content(
        { type: 'input_image', image_url: image, detail: 'low' },
        { type: 'input_file', file_url: 'https://files.example/a.pdf' },
        { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' },
        { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      ),
    )
    expect(media?.map(({ kind, tokens }) => [kind, tokens])).toEqual([
      ['image', mediaAllowance.lowImage],
      ['file', mediaAllowance.file],
      ['file', mediaAllowance.file],
      ['audio', mediaAllowance.audio],
    ])
    expect(hasAudio).toBe(true)
  })

  it('never throws', () => {
    const value = fc.jsonValue() as fc.Arbitrary<JsonValue>
    const part = fc.record({
      type: fc.constantFrom('input_image', 'input_file', 'input_audio', null),
      image_url: value,
      file_data: value,
      file_url: value,
      input_audio: value,
    })
    const item = fc.record({ type: value, content: fc.oneof(value, fc.array(part)), tools: value })
    const body = fc.record({ input: fc.oneof(value, fc.array(item)), tools: value, user: value })
    fc.assert(
      fc.property(body, each => {
        const { media, maxOutputTokens } = membersOf(outlineOf(each as JsonObject))
        expect(Array.isArray(media)).toBe(true)
        expect(maxOutputTokens).toBe(undefined)
      }),
    )
  })
})
