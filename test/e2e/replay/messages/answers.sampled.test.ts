import Anthropic from '@anthropic-ai/sdk'
import { createGateway, type Gateway, type Target } from '@sluice/core'
import { anthropic, openaiCompatible } from '@sluice/providers'
import AnthropicBefore1 from 'anthropic-sdk-0'
import { describe, expect, inject, it } from 'vitest'
import { expectations } from '../../../../packages/providers/test/vendors/replay/expected.ts'
import { recordings as ownProtocols } from '../../../../packages/providers/test/vendors/replay/recordings.ts'
import { vendors } from '../../../../packages/providers/test/vendors/replay/vendors.ts'
import { recordedStream, recordedWhole } from '../recorded.ts'
import { recordings as chatRecordings, present as fixturesPresent, type Recording } from '../recordings.ts'
import type { Answered } from '../said.ts'
import { exchanges, present } from './exchanges.ts'

/** A vendor's answer, and the model that gave it. */
interface Case {
  readonly name: string
  readonly recording: Pick<Recording, 'kind' | 'status' | 'contentType' | 'bytes'>
  readonly target: Target
}

const origin = 'http://127.0.0.1:9'
const chat = openaiCompatible({ name: 'chat', baseURL: `${origin}/v1` })('model')
const claude = anthropic({ apiKey: 'k' })('claude-sonnet-4-5')
const translated = anthropic({ apiKey: 'k', speaks: [] })('claude-sonnet-4-5')

const cases: readonly Case[] = [
  ...chatRecordings.map(recording => ({ name: recording.name, recording, target: chat })),
  ...ownProtocols.map(recording => {
    const { connect, model } = vendors[recording.vendor]
    // It was recorded where the vendor was asked in its own protocol.
    const options = ['azure', 'gemini'].includes(recording.vendor) ? {} : { speaks: [] }
    const target = connect(origin, options)(expectations.get(recording.name)?.model ?? model)
    return { name: recording.name, recording, target }
  }),
  ...exchanges
    .filter(({ path }) => path === '/messages')
    .flatMap(({ name, answer }) =>
      answer === undefined
        ? []
        : [
            { name: `${name}, passed on`, recording: answer, target: claude },
            { name: `${name}, translated`, recording: answer, target: translated },
          ],
    ),
].filter(({ recording }) => recording.kind !== 'error')

const sdks = [
  ['since 1.0', (options: object) => new Anthropic(options)],
  ['before 1.0', (options: object) => new AnthropicBefore1(options) as unknown as Anthropic],
] as const

const title = 'recorded answers, read by @anthropic-ai/sdk (skipped where ../shared is absent)'

describe.skipIf(!present || !fixturesPresent)(title, () => {
  it('are there', () => {
    expect(cases.length).toBeGreaterThan(400)
  })

  const sampled = inject('exhaustive') ? cases : cases.filter((_, index) => index % 3 === 0)
  it.each(sampled.map(each => [each.name, each] as const))('%s', async (_, { recording, target }) => {
    const gateway = answering(recording, target)
    const streams = recording.kind === 'stream' ? [true] : [false, true]
    for (const stream of streams) {
      const asked = await askChat(gateway, stream)
      for (const [, make] of sdks) {
        const client = make({
          baseURL: 'http://sluice.test',
          apiKey: 'k',
          maxRetries: 0,
          fetch: gateway.fetch,
        })
        const message = read(client, stream)
        if (asked.error) await expect(message).rejects.toThrow()
        else expectSame(await message, asked)
      }
    }
    await gateway.close({ drainMs: 1 })
  })
})

/** A gateway in front of a vendor that gives one answer. Nothing leaves the process. */
function answering({ status, contentType, bytes }: Case['recording'], target: Target): Gateway {
  return createGateway({
    authenticate: () => ({ id: 'ann' }),
    route: () => [target],
    maxAttempts: 1,
    breaker: false,
    transport: async () => ({
      status,
      headers: new Headers({ 'content-type': contentType }),
      body: (async function* () {
        yield bytes
      })(),
    }),
  })
}

async function askChat(gateway: Gateway, stream: boolean): Promise<Answered> {
  const response = await gateway.fetch('http://sluice.test/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'm',
      messages: [{ role: 'user', content: 'Hello!' }],
      ...(stream && { stream, stream_options: { include_usage: true } }),
    }),
  })
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (response.status !== 200) return { choices: [], usage: undefined, error: true }
  return stream ? recordedStream(bytes) : recordedWhole(bytes)
}

async function read(client: Anthropic, stream: boolean): Promise<Anthropic.Message> {
  const asked = { model: 'm', max_tokens: 1_000, messages: [{ role: 'user', content: 'Hello!' }] } as const
  const params = { ...asked, messages: [...asked.messages] }
  return stream ? client.messages.stream(params).finalMessage() : client.messages.create(params)
}

function expectSame(
  { content, usage, model, stop_reason, stop_details }: Anthropic.Message,
  { choices, usage: counts }: Answered,
): void {
  const [choice] = choices
  const texts = content.flatMap(block => (block.type === 'text' ? block.text : []))
  const calls = content.filter(block => block.type === 'tool_use')
  expect(model).toBe('m')
  // What the vendor says of a refusal is no text of the model.
  const explained = texts.join('') === choice!.text ? (stop_details?.explanation ?? '') : ''
  expect(texts.join('') + explained).toBe(choice!.text + choice!.refusal)
  expect(calls.map(({ name }) => name)).toEqual(choice!.calls.map(({ name }) => name))
  if (stop_reason !== 'max_tokens') {
    expect(calls.map(({ input }) => input)).toEqual(choice!.calls.map(call => JSON.parse(call.arguments)))
  }
  const {
    input_tokens,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cached,
    output_tokens,
  } = usage
  expect({ prompt: input_tokens + (written ?? 0) + (cached ?? 0), completion: output_tokens }).toEqual(counts)
}
