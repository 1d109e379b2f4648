import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Call, PartialChunk, PartialMessage } from '@sluice/core/provider'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeConverse } from '../../src/bedrock/decode.ts'
import { scriptedResponse } from '../scripted-response.ts'
import { scriptedEvent } from './scripted-frames.ts'

const root = resolve(import.meta.dirname, '../../../../../shared/fixtures/bedrock')
const present = existsSync(root)
if (!present) console.warn(`Skipped: the recordings of Bedrock are not there (${root}).`)

function call(stream: boolean): Call {
  return {
    input: { model: 'public', messages: [{ role: 'user', content: 'Hi' }], stream },
    model: 'us.anthropic.claude-haiku-4-5-20251001-v1:0',
  }
}

/** What a stream of a recording says, put together. */
interface Said {
  readonly content: string
  readonly reasoning: string
  readonly calls: readonly string[]
  readonly details: number
  readonly finish: readonly string[]
  readonly usage: PartialChunk['usage']
}

async function said(reads: readonly Uint8Array[]): Promise<Said> {
  const reply = await decodeConverse(scriptedResponse({ body: reads }), call(true))
  if (reply.kind !== 'stream') throw new Error('no stream')
  const chunks: PartialChunk[] = []
  for await (const batch of reply.chunks) chunks.push(...batch)
  const choices = chunks.flatMap(chunk => chunk.choices)
  const deltas = choices.map(({ delta }) => delta)
  const joined = (name: 'content' | 'reasoning_content') => deltas.map(delta => delta[name] ?? '').join('')
  const calls: string[] = []
  for (const piece of deltas.flatMap(({ tool_calls }) => tool_calls ?? [])) {
    const { index = -1, function: { name = '', arguments: text = '' } = {} } = piece
    calls[index] = `${calls[index] ?? ''}${name}${text}`
  }
  return {
    content: joined('content'),
    reasoning: joined('reasoning_content'),
    calls,
    details: deltas.flatMap(delta => delta.reasoning_details ?? []).length,
    finish: choices.flatMap(({ finish_reason }) => finish_reason ?? []),
    usage: chunks.findLast(chunk => chunk.usage !== undefined)?.usage,
  }
}

/** A file of the recordings; lines of events as frames. */
function recorded(name: string): Uint8Array {
  const bytes = readFileSync(resolve(root, name))
  if (!name.endsWith('.jsonl')) return new Uint8Array(bytes)
  const lines = bytes.toString('utf8').split('\n').filter(Boolean)
  return new Uint8Array(
    Buffer.concat(lines.map(line => scriptedEvent(JSON.parse(line) as Record<string, object>))),
  )
}

const bytewise = (bytes: Uint8Array) => Array.from(bytes, byte => Uint8Array.of(byte))

describe.skipIf(!present)('recorded streams', () => {
  it.each<[string, (said: Said) => void]>([
    [
      'aisdk-amazon-bedrock-text.chunks.jsonl',
      ({ content, ...rest }) => {
        expect(content).toMatch(/^Let me count .*"strawberry\."$/s)
        expect(rest).toMatchObject({ reasoning: '', calls: [], finish: ['stop'], details: 0 })
        expect(rest.usage).toEqual({ prompt_tokens: 22, completion_tokens: 55 })
      },
    ],
    [
      'aisdk-amazon-bedrock-reasoning.chunks.jsonl',
      ({ content, reasoning, details, usage }) => {
        expect(reasoning).toMatch(/^Let me count the r's .* 3 r's\.$/s)
        expect(content).toMatch(/^There are \*\*3\*\* r's/)
        expect(details).toBe(1)
        expect(usage).toEqual({ prompt_tokens: 51, completion_tokens: 94 })
      },
    ],
    [
      'converse-stream-citations.eventstream.bin',
      ({ content, calls, finish }) => {
        expect(content).toMatch(/^The latest stable Ruby version is 4\.0\.6\. \n\nRuby 4\.0\.6 .* series\.$/s)
        expect([calls, finish]).toEqual([[], ['stop']])
      },
    ],
    [
      'converse-stream-guardrail.eventstream.bin',
      ({ content, finish, usage }) => {
        expect(content).toMatch(/^Hello, \{ADDRESS\}/)
        expect(finish).toEqual(['content_filter'])
        expect(usage).toEqual({ prompt_tokens: 28, completion_tokens: 22 })
      },
    ],
    [
      'converse-stream-max-tokens.eventstream.bin',
      ({ content, finish }) => {
        expect([content, finish]).toEqual(['I am here and ready to assist', ['length']])
      },
    ],
    [
      'converse-stream-thinking.eventstream.bin',
      ({ reasoning, content, details, finish }) => {
        expect(reasoning).toMatch(/^This is a clever logical puzzle/)
        expect(content.length).toBeGreaterThan(100)
        expect([details, finish]).toEqual([1, ['stop']])
      },
    ],
    [
      'converse-stream-tool-use-parallel.eventstream.bin',
      ({ content, calls, finish }) => {
        expect(content).toMatch(/^<thinking> The User has asked/)
        expect(calls.map(call => call.replaceAll(' ', ''))).toEqual([
          'get_current_weather{"location":"Seattle"}',
          'get_current_weather{"location":"SanFrancisco"}',
        ])
        expect(finish).toEqual(['tool_calls'])
      },
    ],
    [
      'converse-stream-tool-use.eventstream.bin',
      ({ content, calls, finish, usage }) => {
        expect([content, calls, finish]).toEqual(['', ['best_language_to_learn{}'], ['tool_calls']])
        expect(usage).toEqual({ prompt_tokens: 932, completion_tokens: 18 })
      },
    ],
  ])('%s: whole, byte by byte, and cut anywhere', async (name, check) => {
    const bytes = recorded(name)
    const whole = await said([bytes])
    check(whole)
    expect(await said(bytewise(bytes))).toEqual(whole)
    const places = fc.array(fc.nat({ max: bytes.length }), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(places, async cuts => {
        const ends = [...cuts, bytes.length].sort((a, b) => a - b)
        expect(await said(ends.map((end, at) => bytes.slice(ends[at - 1] ?? 0, end)))).toEqual(whole)
      }),
      { numRuns: 10 },
    )
  })

  it('are cut, or whole at their stop, wherever they end', async () => {
    const bytes = recorded('converse-stream-max-tokens.eventstream.bin')
    const outcomes = new Set<string>()
    for (let end = 0; end < bytes.length; end++) {
      outcomes.add(
        await said([bytes.slice(0, end)]).then(
          ({ finish }) => `${finish}`,
          error => error.kind,
        ),
      )
    }
    expect([...outcomes].sort()).toEqual(['length', 'truncated'])
  })
})

describe.skipIf(!present)('recorded whole answers', () => {
  async function completion(name: string) {
    const body = readFileSync(resolve(root, name), 'utf8')
    const reply = await decodeConverse(scriptedResponse({ body }), call(false))
    if (reply.kind !== 'completion') throw new Error('a stream')
    const [choice] = reply.completion.choices
    return { usage: reply.completion.usage, message: choice?.message, finish: choice?.finish_reason }
  }

  it.each<[string, PartialMessage, string, object]>([
    ['converse-text.json', { content: 'EIGHT' }, 'stop', { prompt_tokens: 64, completion_tokens: 5 }],
    [
      'converse-cache-write.json',
      { content: 'OK' },
      'stop',
      { prompt_tokens: 7_361, completion_tokens: 4, cached_tokens: 0, cache_write_tokens: 7_351 },
    ],
    [
      'converse-max-tokens.json',
      { content: 'Hi, how can I help you' },
      'length',
      { prompt_tokens: 8, completion_tokens: 10 },
    ],
    [
      'converse-guardrail.json',
      { content: '{ADDRESS} is the capital of Japan {Account Number}.' },
      'content_filter',
      { prompt_tokens: 54, completion_tokens: 18 },
    ],
  ])('%s', async (name, message, finish, usage) => {
    expect(await completion(name)).toEqual({ message, finish, usage })
  })

  it('converse-tool-use-parallel.json', async () => {
    const { message, finish } = await completion('converse-tool-use-parallel.json')
    expect(message?.content).toBeUndefined()
    expect(message?.tool_calls).toHaveLength(3)
    expect(message?.tool_calls?.[1]).toEqual({
      id: 'tooluse_RxTEFUCDcU0b100USoALao',
      type: 'function',
      function: { name: 'dice_roll', arguments: '{}' },
    })
    expect(finish).toBe('tool_calls')
  })

  it('converse-redacted.json', async () => {
    const { message } = await completion('converse-redacted.json')
    expect(message?.content).toMatch(/^I notice you've sent/)
    expect(message?.reasoning_content).toBeUndefined()
    expect(message?.reasoning_details).toEqual([
      {
        type: 'reasoning.encrypted',
        data: expect.stringMatching(/^Eu8E.*==$/),
        format: 'anthropic-claude-v1',
        index: 0,
      },
    ])
  })

  it.each([
    ['error-eol-404.404.json', 404],
    ['error-on-demand-profile.400.json', 400],
  ])('%s', async (name, status) => {
    const body = readFileSync(resolve(root, name), 'utf8')
    await expect(decodeConverse(scriptedResponse({ status, body }), call(true))).rejects.toMatchObject({
      kind: 'refused',
      status,
      code: null,
    })
  })
})
