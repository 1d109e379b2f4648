import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Outline, OutlineMedia } from '../../contracts/outline.ts'
import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { mediaAllowance } from '../../usage/media.ts'
import { messagesOutline } from './outline.ts'
import { sessionHeader } from './wire-names.ts'

const outlineOf = (body: JsonObject, headers: Record<string, string> = {}) =>
  messagesOutline(body, 100, new Headers(headers))

function membersOf(outline: Outline): Outline {
  const { stream, user, conversationKey, hasTools, media, maxOutputTokens, serviceTier, searchesWeb } =
    outline
  return { stream, user, conversationKey, hasTools, media, maxOutputTokens, serviceTier, searchesWeb }
}

const empty: Outline = {
  stream: false,
  user: undefined,
  conversationKey: undefined,
  hasTools: false,
  media: [],
  maxOutputTokens: undefined,
  serviceTier: undefined,
  searchesWeb: false,
}

const ids = { device_id: 'd', account_uuid: 'a', session_id: 's' }

describe('the outline of a message', () => {
  it.each<[string, JsonObject, Partial<Outline>]>([
    ['nothing', {}, {}],
    ['a stream', { stream: true }, { stream: true }],
    ['no stream', { stream: 'true' }, {}],
    ['a bound', { max_tokens: 20 }, { maxOutputTokens: 20 }],
    ['no bound', { max_tokens: '20' }, {}],
    ['a tier', { service_tier: 'auto' }, { serviceTier: 'auto' }],
    ['tools', { tools: [{}] }, { hasTools: true }],
    ['a search', { tools: [{ type: 'web_search_20250305' }] }, { hasTools: true, searchesWeb: true }],
    ['tools that are none', { tools: { 0: 1 } }, {}],
    ['an end user', { metadata: { user_id: 'ann' } }, { user: 'ann' }],
    [
      'an account and a session',
      { metadata: { user_id: JSON.stringify(ids) } },
      { user: 'a', conversationKey: 's' },
    ],
    [
      'a device and a session',
      { metadata: { user_id: JSON.stringify({ ...ids, account_uuid: '' }) } },
      { user: 'd', conversationKey: 's' },
    ],
    [
      'a session after the user',
      { metadata: { user_id: 'user_1_account__session_6c2a-9' } },
      { user: 'user_1_account_', conversationKey: '6c2a-9' },
    ],
    ['broken JSON', { metadata: { user_id: '{"session_id":' } }, { user: '{"session_id":' }],
    ['JSON that is no object', { metadata: { user_id: '{}' } }, { user: '{}' }],
    ['no user', { metadata: { user_id: 7 } }, {}],
  ])('%s', (_, body, known) => {
    expect(membersOf(outlineOf(body))).toEqual({ ...empty, ...known })
  })

  it('has the session of the header first', () => {
    const body = { metadata: { user_id: JSON.stringify(ids) } }
    expect(outlineOf(body, { [sessionHeader]: 'h' }).conversationKey).toBe('h')
    expect(outlineOf({}, { [sessionHeader]: 'h' }).conversationKey).toBe('h')
    expect(outlineOf({}, { [sessionHeader]: 'h'.repeat(513) }).conversationKey).toBeUndefined()
    expect(messagesOutline({}, 2).conversationKey).toBeUndefined()
  })

  const image = { kind: 'image', tokens: mediaAllowance.image, inlineBytes: 4 }
  const file = { kind: 'file', tokens: mediaAllowance.file, inlineBytes: 4 }
  const base64 = { type: 'base64', media_type: 'image/png', data: 'QUJD' }
  const pdf = { type: 'base64', media_type: 'application/pdf', data: 'QUJD' }

  it.each<[string, JsonValue, object[]]>([
    ['an image', [{ type: 'image', source: base64 }], [image]],
    [
      'an image by URL',
      [{ type: 'image', source: { type: 'url', data: 'QUJD' } }],
      [{ ...image, inlineBytes: 0 }],
    ],
    ['a document', [{ type: 'document', source: pdf }], [file]],
    ['a text', [{ type: 'document', source: { type: 'text', data: 'QUJD' } }], []],
    ['a text in base64', [{ type: 'document', source: { ...pdf, media_type: 'text/plain' } }], []],
    [
      'a document of blocks',
      [{ type: 'document', source: { type: 'content', content: [{ type: 'image', source: base64 }, {}] } }],
      [image],
    ],
    [
      'images of a result',
      [{ type: 'tool_result', content: [{ type: 'text' }, { type: 'image', source: base64 }] }],
      [image],
    ],
    ['nothing', 'text', []],
  ])('finds %s', (_, content, media) => {
    expect(outlineOf({ messages: [{ role: 'user', content }] }).media).toEqual(media as OutlineMedia[])
  })

  it('never throws', () => {
    const key = fc.constantFrom(
      'messages',
      'content',
      'type',
      'source',
      'data',
      'tools',
      'metadata',
      'user_id',
      '__proto__',
    )
    const word = fc.constantFrom(
      'image',
      'document',
      'tool_result',
      'content',
      'base64',
      'text',
      '{"session_id":[]}',
    )
    const { tree } = fc.letrec(tie => ({
      tree: fc.dictionary(
        key,
        fc.oneof(
          { depthSize: 'small' },
          word,
          fc.jsonValue({ maxDepth: 1 }),
          tie('tree'),
          fc.array(tie('tree'), { maxLength: 2 }),
        ),
        { maxKeys: 4 },
      ),
    }))
    fc.assert(
      fc.property(tree, body => {
        membersOf(outlineOf(body as JsonObject))
      }),
    )
  })
})
