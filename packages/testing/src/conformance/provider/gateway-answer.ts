import assert from 'node:assert/strict'
import { createGateway, type FinishReason, models, type Target } from '@sluice/core'
import type { ChatCompletion } from '@sluice/core/provider'
import { readSse } from '../../sse-reader.ts'
import { inTime } from './decode-answer.ts'
import type { ExpectedAnswer, ExpectedChoice, ExpectedToolCall } from './provider-samples.ts'
import { plainRequest } from './requests.ts'
import { type VendorAnswer, vendorResponse } from './vendor-response.ts'

/** What the caller of a gateway gets. */
interface ReceivedAnswer {
  readonly choices: readonly Required<ExpectedChoice>[]
  readonly usage: ExpectedAnswer['usage'] | undefined
}

/** Sends a request through a gateway whose vendor gives `answer`, and compares what the caller gets. */
export async function expectAnswer(
  { provider, ...target }: Target,
  fields: object,
  answer: VendorAnswer,
  expected: ExpectedAnswer,
  sample: string,
): Promise<void> {
  const gateway = createGateway({
    authenticate: () => ({ id: 'caller' }),
    route: models({
      public: {
        ...target,
        provider: {
          name: provider.name,
          encode: call => provider.encode(call),
          decode: (response, call) => provider.decode(response, call),
          transport: async () => vendorResponse(answer),
        },
      },
    }),
    maxAttempts: 1,
    breaker: false,
  })
  try {
    const response = await gateway.fetch('http://gateway.invalid/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...plainRequest, ...fields }),
    })
    const got = await inTime(received(response, sample), `${sample}: the gateway's answer did not end`)
    for (const [index, choice] of (expected.choices ?? [expected]).entries())
      expectChoice(got.choices[index], choice, `${sample}, choice ${index}`)
    const { usage } = expected
    if (usage !== undefined) {
      const counts = {
        prompt_tokens: got.usage?.prompt_tokens,
        completion_tokens: got.usage?.completion_tokens,
      }
      assert.deepEqual(counts, { ...usage }, `${sample}: usage`)
    }
  } finally {
    await gateway.close()
  }
}

async function received(response: Response, sample: string): Promise<ReceivedAnswer> {
  if (response.status !== 200)
    assert.fail(`${sample}: the gateway answered ${response.status} ${await response.text()}`)
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) return streamed(response)
  const { choices, usage } = (await response.json()) as ChatCompletion
  return {
    usage,
    choices: choices.map(({ message: { content, tool_calls: calls = [] }, finish_reason: finishReason }) => ({
      text: content,
      toolCalls: calls.map(call =>
        call.type === 'function'
          ? { name: call.function.name, arguments: call.function.arguments }
          : { name: call.custom.name, arguments: call.custom.input },
      ),
      finishReason,
    })),
  }
}

async function streamed(response: Response): Promise<ReceivedAnswer> {
  const choices: {
    text: string | null
    toolCalls: { name: string; arguments: string }[]
    finishReason: FinishReason
  }[] = []
  let usage: ReceivedAnswer['usage']
  const { chunks, done } = await readSse(response)
  for (const chunk of chunks) {
    if (chunk.error) assert.fail(`the stream has the error ${JSON.stringify(chunk.error)}`)
    usage = chunk.usage ?? usage
    for (const { index, delta, finish_reason: reason } of chunk.choices ?? []) {
      choices[index] ??= { text: null, toolCalls: [], finishReason: 'stop' }
      const choice = choices[index]
      if (delta.content) choice.text = (choice.text ?? '') + delta.content
      for (const call of delta.tool_calls ?? []) {
        choice.toolCalls[call.index] ??= { name: '', arguments: '' }
        const made = choice.toolCalls[call.index]!
        made.name += call.function?.name ?? call.custom?.name ?? ''
        made.arguments += call.function?.arguments ?? call.custom?.input ?? ''
      }
      if (reason !== null) choice.finishReason = reason
    }
  }
  assert.ok(done, 'the stream does not end with [DONE]')
  return { choices, usage }
}

function expectChoice(
  got: ReceivedAnswer['choices'][number] | undefined,
  expected: ExpectedChoice,
  where: string,
): void {
  assert.ok(got !== undefined, `${where}: the answer has no such choice`)
  const { text, toolCalls, finishReason } = expected
  if (text !== undefined) assert.equal(got.text || null, text || null, `${where}: text`)
  if (finishReason !== undefined) assert.equal(got.finishReason, finishReason, `${where}: finish reason`)
  if (toolCalls === undefined) return
  const names = (calls: readonly ExpectedToolCall[]) => calls.map(({ name }) => name)
  assert.deepEqual(names(got.toolCalls), names(toolCalls), `${where}: tool calls`)
  for (const [index, { name, arguments: wanted }] of toolCalls.entries()) {
    const json: string = String(got.toolCalls[index]!.arguments)
    assert.deepEqual(
      typeof wanted === 'string' ? json : (JSON.parse(json) as unknown),
      wanted,
      `${where}: arguments of ${name}`,
    )
  }
}
