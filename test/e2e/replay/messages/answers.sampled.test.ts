import Anthropic from '@anthropic-ai/sdk'
import { anthropic } from '@sluice/providers'
import AnthropicBefore1 from 'anthropic-sdk-0'
import { describe, expect, it } from 'vitest'
import { answering, askChat, type RecordedAnswer, vendorAnswers } from '../answers.ts'
import { present, sampleOf } from '../exchanges.ts'
import { present as fixturesPresent } from '../recordings.ts'
import type { Answered } from '../said.ts'
import { exchanges } from './exchanges.ts'

const claude = anthropic({ apiKey: 'k' })('claude-sonnet-4-5')
const translated = anthropic({ apiKey: 'k', speaks: [] })('claude-sonnet-4-5')

const cases: readonly RecordedAnswer[] = [
  ...vendorAnswers,
  ...exchanges
    .filter(({ path }) => path === '/messages')
    .flatMap(({ name, answer }) =>
      answer === undefined || answer.kind === 'error'
        ? []
        : [
            { name: `${name}, passed on`, recording: answer, target: claude },
            { name: `${name}, translated`, recording: answer, target: translated },
          ],
    ),
]

const sdks = [
  ['since 1.0', (options: object) => new Anthropic(options)],
  ['before 1.0', (options: object) => new AnthropicBefore1(options) as unknown as Anthropic],
] as const

const title = 'recorded answers, read by @anthropic-ai/sdk (skipped where ../shared is absent)'

describe.skipIf(!present || !fixturesPresent)(title, () => {
  it('are there', () => {
    expect(cases.length).toBeGreaterThan(400)
  })

  it.each(sampleOf(cases).map(each => [each.name, each] as const))('%s', async (_, each) => {
    const gateway = answering(each)
    const streams = each.recording.kind === 'stream' ? [true] : [false, true]
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
