import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Outline, OutlineMedia } from '../../contracts/outline.ts'
import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { mediaAllowance } from '../../usage/media.ts'
import { chatOutline } from './outline.ts'

const base64 = 'QUJD'.repeat(100)
const pdf = `data:application/pdf;base64,${base64}`

/** The members of an outline, all of them read. */
function membersOf(outline: Outline): Outline {
  return {
    stream: outline.stream,
    user: outline.user,
    conversationKey: outline.conversationKey,
    hasTools: outline.hasTools,
    media: outline.media,
    promptTokens: outline.promptTokens,
    choices: outline.choices,
    maxOutputTokens: outline.maxOutputTokens,
    hasAudio: outline.hasAudio,
    wantsAudio: outline.wantsAudio,
    serviceTier: outline.serviceTier,
    searchesWeb: outline.searchesWeb,
  }
}

const empty: Outline = {
  stream: false,
  user: undefined,
  conversationKey: undefined,
  hasTools: false,
  media: [],
  promptTokens: undefined,
  choices: 1,
  maxOutputTokens: undefined,
  hasAudio: false,
  wantsAudio: false,
  serviceTier: undefined,
  searchesWeb: false,
}

describe('the outline of a chat completion', () => {
  it.each<[string, JsonObject, Partial<Outline>]>([
    ['nothing', {}, {}],
    ['a stream', { stream: true }, { stream: true }],
    ['no stream', { stream: 'true' }, {}],
    ['an end user', { user: 'ann' }, { user: 'ann' }],
    ['an end user without a name', { user: '' }, { user: '' }],
    ['a conversation', { prompt_cache_key: 'c1' }, { conversationKey: 'c1' }],
    ['names that are no text', { user: 7, prompt_cache_key: ['c1'], service_tier: {} }, {}],
    ['tools', { tools: [{}] }, { hasTools: true }],
    ['functions', { functions: [{}] }, { hasTools: true }],
    ['no tools', { tools: [], functions: {} }, {}],
    ['choices', { n: 3 }, { choices: 3 }],
    ['too many choices', { n: 129 }, {}],
    ['no choices', { n: 0 }, {}],
    ['half a choice', { n: 1.5 }, {}],
    ['a bound', { max_completion_tokens: 20 }, { maxOutputTokens: 20 }],
    ['an older bound', { max_tokens: 0 }, { maxOutputTokens: 0 }],
    ['two bounds', { max_completion_tokens: 20, max_tokens: 30 }, { maxOutputTokens: 30 }],
    ['two bounds, one invalid', { max_completion_tokens: 20, max_tokens: '30' }, { maxOutputTokens: 20 }],
    ['invalid bounds', { max_completion_tokens: -1, max_tokens: 1e300 }, {}],
    ['audio that was answered before', { messages: [{ audio: { id: 'a' } }] }, { hasAudio: true }],
    ['no audio that was answered', { messages: [{ audio: null }] }, {}],
    ['audio for an answer', { modalities: ['text', 'audio'] }, { wantsAudio: true }],
    ['text for an answer', { modalities: 'audio' }, {}],
    ['a service tier', { service_tier: 'flex' }, { serviceTier: 'flex' }],
    ['a search of the web', { web_search_options: {} }, { searchesWeb: true }],
    ['no search of the web', { web_search_options: null }, {}],
  ])('has %s', (_, body, found) => {
    expect(membersOf(chatOutline(body))).toEqual({ ...empty, ...found })
  })

  it.each<[string, JsonObject, OutlineMedia | undefined]>([
    ['text', { type: 'text', text: pdf }, undefined],
    ['no kind', {}, undefined],
    [
      'an image',
      { type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } },
      { kind: 'image', tokens: mediaAllowance.image, inlineBytes: 400 },
    ],
    [
      'an image of low detail elsewhere',
      { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
      { kind: 'image', tokens: mediaAllowance.lowImage, inlineBytes: 0 },
    ],
    [
      'an image without a URL',
      { type: 'image_url' },
      { kind: 'image', tokens: mediaAllowance.image, inlineBytes: 0 },
    ],
    [
      'audio',
      { type: 'input_audio', input_audio: { data: base64 } },
      { kind: 'audio', tokens: mediaAllowance.audio, inlineBytes: 400 },
    ],
    [
      'a file',
      { type: 'file', file: { file_data: pdf } },
      { kind: 'file', tokens: mediaAllowance.file, inlineBytes: 400 },
    ],
    [
      'a file of text, which counts by its bytes',
      { type: 'file', file: { file_data: base64, filename: 'a.txt' } },
      { kind: 'file', tokens: 0, inlineBytes: 0 },
    ],
  ])('has the media of a part with %s', (_, part, media) => {
    const { media: found, hasAudio } = chatOutline({ messages: [{ content: 'a' }, { content: [part] }] })
    expect(found).toEqual(media === undefined ? [] : [media])
    expect(hasAudio).toBe(media?.kind === 'audio')
  })

  it('has the media of all messages, in order', () => {
    const [image, audio, file] = [{ type: 'image_url' }, { type: 'input_audio' }, { type: 'file' }]
    const messages = [{ content: [file, image] }, { content: 'a' }, { content: [audio] }]
    const outline = chatOutline({ messages })
    expect(outline.media?.map(({ kind }) => kind)).toEqual(['file', 'image', 'audio'])
    expect(outline.media).toBe(outline.media)
  })

  it('reads nothing of the body before it is read itself', () => {
    const fail = () => {
      throw new Error('the body was read')
    }
    const unread = new Proxy({}, { get: fail, has: fail, ownKeys: fail, getOwnPropertyDescriptor: fail })
    const outline = chatOutline(unread)
    expect(() => outline.stream).toThrow('the body was read')
  })

  it('takes no member that another library has added to every object', () => {
    for (const name of ['stream', 'user', 'tools', 'n', 'max_tokens', 'web_search_options']) {
      Object.defineProperty(Object.prototype, name, { value: true, configurable: true })
      try {
        expect(membersOf(chatOutline({}))).toEqual(empty)
      } finally {
        Reflect.deleteProperty(Object.prototype, name)
      }
    }
  })

  it('is there for any JSON, and has valid values only', () => {
    fc.assert(
      fc.property(anyBody, body => {
        const outline = membersOf(chatOutline(body))
        expect(outline).toEqual(slowOutline(body))
        for (const text of [outline.user, outline.conversationKey, outline.serviceTier]) {
          expect(['string', 'undefined']).toContain(typeof text)
        }
        expect(isCount(outline.choices) && outline.choices >= 1).toBe(true)
        expect(outline.maxOutputTokens === undefined || isCount(outline.maxOutputTokens)).toBe(true)
        for (const { kind, tokens, inlineBytes } of outline.media ?? []) {
          expect(['image', 'audio', 'file']).toContain(kind)
          expect(isCount(tokens) && isCount(inlineBytes)).toBe(true)
          expect(inlineBytes).toBeLessThanOrEqual(JSON.stringify(body).length)
        }
      }),
      { numRuns: 2_000 },
    )
  })
})

const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<JsonValue>(null, true, 0, 2, 129, 1.5, -1, 1e300, '', 'audio', [], {}),
) as fc.Arbitrary<JsonValue>
const data = fc.oneof(
  odd,
  fc.constantFrom(
    pdf,
    base64,
    'data:',
    'data:image/png;base64',
    `data:text/plain;base64,${base64}`,
    'data:,a',
  ),
)
/** An object with some of these members, or anything else. */
const loose = (members: Record<string, fc.Arbitrary<unknown>>) =>
  fc.oneof({ weight: 4, arbitrary: fc.record(members, { requiredKeys: [] }) }, { weight: 1, arbitrary: odd })
const part = loose({
  type: fc.constantFrom('image_url', 'input_audio', 'file', 'text', null),
  image_url: loose({ url: data, detail: fc.constantFrom('low', 'high', 7) }),
  input_audio: loose({ data }),
  file: loose({ file_data: data, filename: fc.constantFrom('a.txt', 'a.PDF', 7) }),
})
const list = (item: fc.Arbitrary<unknown>) => fc.oneof(fc.array(item, { maxLength: 4 }), odd)
const anyBody = fc.record(
  {
    stream: odd,
    user: odd,
    prompt_cache_key: odd,
    tools: odd,
    functions: odd,
    n: fc.oneof(odd, fc.nat(200)),
    max_tokens: fc.oneof(odd, fc.nat()),
    max_completion_tokens: fc.oneof(odd, fc.nat()),
    modalities: list(fc.constantFrom('text', 'audio')),
    service_tier: odd,
    web_search_options: odd,
    messages: list(loose({ content: list(part), audio: odd })),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>

/** The same by a second way: each member from the whole body, as plain values. */
function slowOutline(body: JsonObject): Outline {
  const messages = itemsOf(body.messages).map(membersIn)
  const parts = messages.flatMap(({ content }) => itemsOf(content).map(membersIn))
  const bounds = [body.max_completion_tokens, body.max_tokens].filter(isCount)
  const { n } = body
  return {
    stream: body.stream === true,
    user: textIn(body.user) ?? textIn(body.safety_identifier),
    conversationKey: textIn(body.prompt_cache_key),
    hasTools: itemsOf(body.tools).length + itemsOf(body.functions).length > 0,
    media: parts.flatMap(slowMedia),
    promptTokens: undefined,
    choices: isCount(n) && n >= 1 && n <= 128 ? n : 1,
    maxOutputTokens: bounds.length === 0 ? undefined : Math.max(...bounds),
    hasAudio:
      messages.some(({ audio }) => audio !== undefined && audio !== null) ||
      parts.some(({ type }) => type === 'input_audio'),
    wantsAudio: itemsOf(body.modalities).includes('audio'),
    serviceTier: textIn(body.service_tier),
    searchesWeb: body.web_search_options !== undefined && body.web_search_options !== null,
  }
}

function slowMedia(part: JsonObject): OutlineMedia[] {
  if (part.type === 'image_url') {
    const { url = part.image_url, detail } = membersIn(part.image_url)
    const tokens = detail === 'low' ? 100 : 1_600
    return [{ kind: 'image', tokens, inlineBytes: dataUrl(url)?.length ?? 0 }]
  }
  if (part.type === 'input_audio') {
    const { data = part.input_audio } = membersIn(part.input_audio)
    return [{ kind: 'audio', tokens: 2_000, inlineBytes: plainData(data) }]
  }
  if (part.type !== 'file') return []
  const { file_data: data, filename } = membersIn(part.file)
  const text = textIn(data) ?? ''
  const named = /\.(?:pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|webp)$/i.test(textIn(filename) ?? '')
  const typed = /^data:(?:image|audio|video|application\/(?:pdf|vnd\.|msword))/i.test(text)
  const isText = /^data:/i.test(text) ? !typed : text !== '' && !named
  return [
    isText
      ? { kind: 'file', tokens: 0, inlineBytes: 0 }
      : { kind: 'file', tokens: 8_000, inlineBytes: plainData(data) },
  ]
}

/** The size of what is base64 by itself, or within a data URL. */
function plainData(value: JsonValue | undefined): number {
  const text = textIn(value) ?? ''
  return /^data:/i.test(text) ? (dataUrl(text)?.length ?? 0) : text.length
}

function dataUrl(value: JsonValue | undefined): string | undefined {
  return /^data:[^,]*;base64,(.*)$/is.exec(textIn(value) ?? '')?.[1]
}

function itemsOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}

function membersIn(value: JsonValue | undefined): JsonObject {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? { ...(value as JsonObject) } : {}
}

function textIn(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
