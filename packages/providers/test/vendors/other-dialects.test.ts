import type { Call, EncodedRequest, Provider, Settings, Turn, TurnPart } from '@sluice/core/provider'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TurnsGenerateRequest } from '../../../core/src/conversation/turns-generate-request.ts'
import { anthropic } from '../../src/anthropic.ts'
import { bedrock } from '../../src/bedrock.ts'
import { gemini } from '../../src/gemini.ts'
import { openaiCompatible } from '../../src/openai-compatible.ts'
import { vertex } from '../../src/vertex.ts'

// Requests of callers who speak another dialect than chat completions: what only turns can hold, and the caller's names.

const image = 'data:image/png;base64,AQID'
const fetchImage = async () => ({ mediaType: 'image/png', data: Uint8Array.of(1, 2, 3) })
const claude = anthropic({ apiKey: 'k' })('claude-sonnet-4-5')
const nova = bedrock({ region: 'us-east-1', bearerToken: 't', fetchImage })('amazon.nova-pro-v1:0')
const gemini3 = gemini({ apiKey: 'k', fetchImage })('gemini-3-pro-preview')
const gemini25 = gemini({ apiKey: 'k', fetchImage })('gemini-2.5-flash')
const vertexClaude = vertex({
  project: 'p',
  location: 'us-east5',
  token: 't',
  fetchImage,
})('claude-sonnet-4-5@20250929')
const compatible = openaiCompatible({ name: 'local', baseURL: 'http://127.0.0.1:1/v1' })('m')

interface Target {
  readonly provider: Provider
  readonly model: string
}

function callOf(turns: readonly Turn[], target: Target, settings: Partial<Settings> = {}): Call {
  const request = new TurnsGenerateRequest({
    dialect: 'other',
    body: {},
    settings: { model: 'm', ...settings },
    turns,
    renamed: { max_completion_tokens: 'max_output', seed: 'sampling.seed', messages: 'input' },
  })
  return { input: request.chat(), request, model: target.model }
}

async function encoded(turns: readonly Turn[], target: Target, more: Partial<Call> = {}, settings = {}) {
  const request: EncodedRequest = await target.provider.encode({
    ...callOf(turns, target, settings),
    ...more,
  })
  return { body: JSON.parse(String(request.body)), adjustments: request.adjustments ?? [] }
}

const members = {
  'function.arguments': 'arguments',
  tool_call_id: 'call_id',
  'image_url.url': 'source',
  reasoning_content: 'summary',
}
const asked: Turn = {
  role: 'user',
  path: 'input[0]',
  parts: [{ kind: 'text', text: 'Look.', path: 'input[0]' }],
}
const called: Turn = {
  role: 'assistant',
  path: 'input[1]',
  parts: [
    { kind: 'call', id: 'c1', tool: 'function', name: 'shot', arguments: '{}', path: 'input[1]', members },
  ],
}
const answered = (url: string): Turn => ({
  role: 'tool',
  path: 'input[2]',
  parts: [
    {
      kind: 'result',
      callId: 'c1',
      isError: true,
      path: 'input[2]',
      members,
      parts: [
        { kind: 'text', text: 'the screen', path: 'input[2].output[0]' },
        { kind: 'image', url, path: 'input[2].output[1]', members },
      ],
    },
  ],
})
const conversation = (url = image) => [asked, called, answered(url)]

describe('images and failures in results of tools', () => {
  it('go to Claude in the result', async () => {
    const { body } = await encoded(conversation(), claude)
    expect(body.messages.at(-1)).toEqual({
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'c1',
          content: [
            { type: 'text', text: 'the screen' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AQID' } },
          ],
          is_error: true,
        },
      ],
    })
  })

  it('go to Claude on Vertex AI as data, where they are links', async () => {
    const { body } = await encoded(conversation('https://there.test/a'), vertexClaude)
    expect(body.messages.at(-1).content[0].content[1].source).toEqual({
      type: 'base64',
      media_type: 'image/png',
      data: 'AQID',
    })
  })

  it('go to Bedrock in the result', async () => {
    const { body } = await encoded(conversation('https://there.test/a'), nova)
    expect(body.messages.at(-1).content).toEqual([
      {
        toolResult: {
          toolUseId: 'c1',
          content: [{ text: 'the screen' }, { image: { format: 'png', source: { bytes: 'AQID' } } }],
          status: 'error',
        },
      },
    ])
  })

  it('go to Gemini 3 in the response of the function', async () => {
    const { body } = await encoded(conversation(), gemini3)
    expect(body.contents.at(-1).parts).toEqual([
      {
        functionResponse: {
          id: 'c1',
          name: 'shot',
          response: { error: 'the screen' },
          parts: [{ inlineData: { mimeType: 'image/png', data: 'AQID' } }],
        },
      },
    ])
  })

  it('go to models before Gemini 3 after the results, and are reported', async () => {
    const { body, adjustments } = await encoded(conversation(), gemini25)
    expect(body.contents.slice(-2)).toEqual([
      {
        role: 'user',
        parts: [{ functionResponse: { name: 'shot', response: { error: 'the screen' } } }],
      },
      {
        role: 'user',
        parts: [
          { text: "Images and files of the result of 'shot':" },
          { inlineData: { mimeType: 'image/png', data: 'AQID' } },
        ],
      },
    ])
    expect(adjustments).toContainEqual({
      parameter: 'input[2].output[1]',
      action: 'mapped',
      detail: 'sent after the results, as words of the user',
    })
  })

  it('go to servers of chat completions after the results, and are reported', async () => {
    const { body, adjustments } = await encoded(conversation(), compatible)
    expect(body.messages.map(({ role }: { role: string }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
    ])
    expect(adjustments.map(({ parameter, action }) => `${parameter} ${action}`)).toEqual([
      'input[2].output[1] mapped',
      'input[2] dropped',
    ])
  })
})

describe('a request in another dialect', () => {
  const all = [claude, vertexClaude, nova, gemini3, gemini25] as const

  it.each(all.map(target => [target.model, target] as const))(
    'has errors and adjustments in its own names: %s',
    async (_, target) => {
      const { adjustments } = await encoded([asked], target, {}, { seed: 1 })
      const seeds = adjustments.map(({ parameter }) => parameter).filter(name => name.includes('seed'))
      // Gemini has a seed.
      expect(seeds).toEqual(target.model.startsWith('gemini') ? [] : ['sampling.seed'])
      const refused = (turns: readonly Turn[]) => expect(encoded(turns, target)).rejects
      const [call] = called.parts
      const wrong: Turn = { ...called, parts: [{ ...call, arguments: '[' } as TurnPart] }
      expect((await encoded([asked, wrong, answered(image)], target)).adjustments).toContainEqual(
        expect.objectContaining({ parameter: 'input[1].arguments', action: 'mapped' }),
      )
      await refused([asked, answered(image)]).toMatchObject({ status: 400, param: 'input[2].call_id' })
      await refused([...conversation('data:image/bmp;base64,AQID')]).toMatchObject({
        status: 400,
        param: 'input[2].output[1].source',
      })
    },
  )

  it.each([...all, compatible].map(target => [target.model, target] as const))(
    'is refused for content of an unknown type, or loses it where the owner wants that: %s',
    async (_, target) => {
      const turns: Turn[] = [
        asked,
        {
          role: 'user',
          path: 'input[1]',
          parts: [
            { kind: 'text', text: 'Hi', path: 'input[1].content[0]' },
            { kind: 'opaque', dialect: 'other', value: { type: 'new' }, path: 'input[1].content[1]' },
          ],
        },
      ]
      await expect(encoded(turns, target)).rejects.toMatchObject({
        status: 400,
        param: 'input[1].content[1]',
      })
      const { body, adjustments } = await encoded(turns, target, { unsupportedParameters: 'drop' })
      expect(JSON.stringify(body)).not.toContain('"new"')
      expect(adjustments).toContainEqual(
        expect.objectContaining({ parameter: 'input[1].content[1]', action: 'dropped' }),
      )
    },
  )

  it.each([...all, compatible].map(target => [target.model, target] as const))(
    'loses what only another vendor can read, and reports it: %s',
    async (_, target) => {
      const turns: Turn[] = [
        asked,
        {
          role: 'assistant',
          path: 'input[1]',
          parts: [
            { kind: 'sealed', family: 'elsewhere', value: 'secret', path: 'input[1]' },
            { kind: 'text', text: 'Hello', path: 'input[2]' },
          ],
        },
        { ...asked, path: 'input[3]' },
      ]
      const { body, adjustments } = await encoded(turns, target)
      expect(JSON.stringify(body)).not.toContain('secret')
      expect(adjustments).toContainEqual(
        expect.objectContaining({ parameter: 'input[1]', action: 'dropped' }),
      )
    },
  )

  it('has cache marks on single tool calls', async () => {
    const [call] = called.parts
    const mark = { cache_control: { type: 'ephemeral' } }
    const turns = [asked, { ...called, parts: [{ ...call, extra: mark } as TurnPart] }, answered(image)]
    expect((await encoded(turns, claude)).body.messages[1].content).toEqual([
      { type: 'tool_use', id: 'c1', name: 'shot', input: {}, ...mark },
    ])
    const { adjustments } = await encoded(turns, gemini3)
    expect(adjustments).toContainEqual(expect.objectContaining({ parameter: 'cache_control' }))
  })

  it('keeps the order of reasoning, text and calls for Claude', async () => {
    const thought = (signature: string, path: string) => ({
      kind: 'reasoning' as const,
      details: [{ type: 'reasoning.text', text: 't', signature, format: 'anthropic-claude-v1' }],
      path,
      members,
    })
    const turns: Turn[] = [
      asked,
      {
        ...called,
        parts: [
          thought('s1', 'input[1]'),
          { kind: 'text', text: 'One', path: 'input[2]' },
          thought('s2', 'input[3]'),
          ...called.parts,
        ],
      },
      answered(image),
    ]
    const { body } = await encoded(turns, claude, {}, { reasoning_effort: 'low' })
    expect(body.messages[1].content.map(({ type }: { type: string }) => type)).toEqual([
      'thinking',
      'text',
      'thinking',
      'tool_use',
    ])
  })

  it('never fails other than with a 400, whatever its parts', async () => {
    const path = fc.constant('p')
    const text = fc.record({ kind: fc.constant('text'), text: fc.string(), path })
    const picture = fc.record({ kind: fc.constant('image'), url: fc.constantFrom(image, 'http://a'), path })
    const file = fc.record({ kind: fc.constant('file'), fileId: fc.string(), path })
    const opaque = fc.record({
      kind: fc.constant('opaque'),
      dialect: fc.constantFrom('chat', 'other'),
      value: fc.jsonValue(),
      path,
    })
    const result = fc.record({
      kind: fc.constant('result'),
      callId: fc.constantFrom('a', 'b'),
      isError: fc.boolean(),
      parts: fc.array(fc.oneof(text, picture, file, opaque), { maxLength: 2 }),
      path,
    })
    const call = fc.record({
      kind: fc.constant('call'),
      id: fc.constantFrom('a', 'b'),
      tool: fc.constantFrom('function', 'custom'),
      name: fc.constant('f'),
      arguments: fc.constantFrom('{}', '', '{'),
      path,
    })
    const sealed = fc.record({
      kind: fc.constant('sealed'),
      family: fc.string(),
      value: fc.jsonValue(),
      path,
    })
    const audio = fc.record({ kind: fc.constant('audio'), id: fc.string(), path })
    const turn = fc.record({
      role: fc.constantFrom('system', 'developer', 'user', 'assistant', 'tool'),
      parts: fc.array(fc.oneof(text, text, picture, file, opaque, result, call, call, sealed, audio), {
        maxLength: 3,
      }),
      path,
    }) as unknown as fc.Arbitrary<Turn>
    const turns = fc.array(turn, { maxLength: 5 })
    const mode = fc.constantFrom('refuse' as const, 'drop' as const)
    await fc.assert(
      fc.asyncProperty(turns, fc.constantFrom(...all, compatible), mode, async (given, target, mode) => {
        try {
          await encoded(given, target, { unsupportedParameters: mode })
        } catch (error) {
          expect(error).toMatchObject({ status: 400 })
        }
      }),
      { numRuns: 300 },
    )
  })
})
