import { openaiCompatible } from '@sluice/providers'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { answering, askChat, type RecordedAnswer, vendorAnswers } from '../answers.ts'
import { present, sampleOf } from '../exchanges.ts'
import { present as fixturesPresent } from '../recordings.ts'
import type { Answered } from '../said.ts'
import { answered } from './exchanges.ts'
import { recordedEvents, recordedResponse } from './recorded.ts'

type Response = OpenAI.Responses.Response

const vendor = openaiCompatible({ name: 'vendor', baseURL: 'http://127.0.0.1:9/v1', speaks: ['responses'] })

/** Answers of vendors that were asked in other protocols, and what chat completions make of them. */
const translated = sampleOf(vendorAnswers)
/** Answers of vendors that speak the Responses API. */
const passed: readonly RecordedAnswer[] = sampleOf(
  answered
    .filter(({ answer }) => answer.kind !== 'error')
    .map(({ name, answer }) => ({ name, recording: answer, target: vendor('model') })),
)

const title = 'read by openai, responses (skipped where ../shared is absent)'

describe.skipIf(!present || !fixturesPresent)(`recorded answers, ${title}`, () => {
  it('are there', () => {
    expect(vendorAnswers.length).toBeGreaterThan(150)
    expect(answered.length).toBeGreaterThan(200)
  })

  it.each(translated.map(each => [each.name, each] as const))('%s', async (_, each) => {
    const gateway = answering(each)
    for (const stream of streamsOf(each)) {
      const asked = await askChat(gateway, stream)
      const response = read(gateway, stream)
      if (asked.error) {
        await expect(response).rejects.toThrow()
        continue
      }
      expectSame(await response, asked)
      expect((await response).status).toBe(statusOf(asked))
    }
    await gateway.close({ drainMs: 1 })
  })
})

describe.skipIf(!present)(`recorded answers in the Responses API, ${title}`, () => {
  it.each(passed.map(each => [each.name, each] as const))('%s', async (_, each) => {
    const gateway = answering(each)
    const stream = each.recording.kind === 'stream'
    const response = await read(gateway, stream)
    const recorded = (stream ? recordedEvents : recordedResponse)(each.recording.bytes)
    expectSame(response, recorded)
    expect(response.status).toBe(recorded.choices[0]!.finish)
    await gateway.close({ drainMs: 1 })
  })
})

function streamsOf({ recording }: RecordedAnswer): readonly boolean[] {
  return recording.kind === 'stream' ? [true] : [false, true]
}

/** The stream is put together by the client, which throws for an event that is out of order. */
async function read({ fetch }: Pick<typeof globalThis, 'fetch'>, stream: boolean): Promise<Response> {
  const client = new OpenAI({ baseURL: 'http://sluice.test/v1', apiKey: 'k', maxRetries: 0, fetch })
  const params = { model: 'm', input: 'Hello!', include: ['reasoning.encrypted_content' as const] }
  return stream ? client.responses.stream(params).finalResponse() : client.responses.create(params)
}

function expectSame({ output, output_text: text, usage, model }: Response, expected: Answered): void {
  const [choice] = expected.choices
  const parts = output.flatMap(item => (item.type === 'message' ? item.content : []))
  const calls = output.flatMap(item =>
    item.type === 'function_call'
      ? { name: item.name, arguments: item.arguments }
      : item.type === 'custom_tool_call'
        ? { name: item.name, arguments: item.input }
        : [],
  )
  const refusal = parts.map(part => (part.type === 'refusal' ? part.refusal : '')).join('')
  expect(model).toBe('m')
  expect(text).toBe(choice?.text ?? '')
  expect(refusal).toBe(choice?.refusal ?? '')
  expect(calls).toEqual((choice?.calls ?? []).map(call => ({ name: call.name, arguments: call.arguments })))
  if (expected.usage !== undefined)
    expect({ prompt: usage?.input_tokens, completion: usage?.output_tokens }).toEqual(expected.usage)
}

function statusOf({ choices }: Answered): Response['status'] {
  const { finish, refusal } = choices[0]!
  const isCut = finish === 'length' || (finish === 'content_filter' && refusal === '')
  return isCut ? 'incomplete' : 'completed'
}
