import {
  type Call,
  type ChatRequest,
  type PartialChunk,
  type PartialCompletion,
  UpstreamError,
} from '@sluice/core/provider'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ScriptedAnswer, scriptedResponse } from '../../test/scripted-response.ts'
import { decodeGenerateContent } from './decode.ts'

function callFor(input: Partial<ChatRequest> = {}): Call {
  return { model: 'm', input: { model: 'public', messages: [{ role: 'user', content: 'x' }], ...input } }
}

async function whole(value: unknown, input: Partial<ChatRequest> = {}): Promise<PartialCompletion> {
  const body = typeof value === 'string' ? value : JSON.stringify(value)
  const reply = await decodeGenerateContent(scriptedResponse({ body }), callFor(input))
  if (reply.kind !== 'completion') throw new Error('It is a stream.')
  return reply.completion
}

async function failureOf(task: Promise<unknown>): Promise<UpstreamError> {
  const error: unknown = await task.then(
    () => undefined,
    failure => failure,
  )
  if (UpstreamError.is(error)) return error
  throw new Error(`It did not fail as an upstream: ${String(error)}`)
}

async function streamed(
  body: ScriptedAnswer['body'],
  input: Partial<ChatRequest> = {},
): Promise<{ readonly chunks: PartialChunk[]; readonly failure: UpstreamError | undefined }> {
  const chunks: PartialChunk[] = []
  const response = scriptedResponse({ body: body ?? '', headers: { 'content-type': 'text/event-stream' } })
  try {
    const reply = await decodeGenerateContent(response, callFor({ ...input, stream: true }))
    if (reply.kind !== 'stream') throw new Error('It is no stream.')
    for await (const batch of reply.chunks) {
      expect(batch).not.toEqual([])
      chunks.push(...batch)
    }
  } catch (failure) {
    if (!UpstreamError.is(failure)) throw failure
    return { chunks, failure }
  }
  return { chunks, failure: undefined }
}

function events(...values: unknown[]): string {
  return values.map(value => `data: ${JSON.stringify(value)}\r\n\r\n`).join('')
}

function candidate(parts: unknown, more: Record<string, unknown> = {}) {
  return { candidates: [{ content: { role: 'model', parts }, index: 0, ...more }] }
}

const done = { finishReason: 'STOP' }
const weather = { type: 'function', function: { name: 'weather' } } as const
const given = {
  tools: ['f', 'g'].map(name => ({ type: 'function', function: { name } }) as const),
}

function deltas(chunks: readonly PartialChunk[], index = 0) {
  return chunks
    .flatMap(chunk => chunk.choices.filter(choice => choice.index === index))
    .map(({ delta }) => delta)
}

describe('a whole answer', () => {
  it('has text, thoughts, calls and counts', async () => {
    const parts = [
      { text: 'Hm.', thought: true, thoughtSignature: 'T' },
      { text: 'It is ' },
      { executableCode: { language: 'PYTHON', code: '1' } },
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
      { text: 'blue.', thoughtSignature: 'S' },
      { functionCall: { name: 'a', args: { x: [1] } }, thoughtSignature: 'C' },
      { functionCall: { id: 'c2', name: 'a' } },
    ]
    const usageMetadata = {
      promptTokenCount: 10,
      toolUsePromptTokenCount: 5,
      cachedContentTokenCount: 4,
      candidatesTokenCount: 3,
      thoughtsTokenCount: 2,
      totalTokenCount: 999,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 3 },
        { modality: 'AUDIO', tokenCount: 7 },
      ],
      serviceTier: 'flex',
    }
    expect(
      await whole({ ...candidate(parts, done), usageMetadata, modelVersion: 'v', responseId: 'r' }),
    ).toEqual({
      choices: [
        {
          index: 0,
          message: {
            reasoning_content: 'Hm.',
            content: 'It is blue.',
            tool_calls: [
              {
                index: 0,
                type: 'function',
                function: { name: 'a', arguments: '{"x":[1]}' },
                extra_content: { google: { thought_signature: 'C' } },
              },
              { index: 1, id: 'c2', type: 'function', function: { name: 'a', arguments: '{}' } },
            ],
            reasoning_details: [
              { type: 'reasoning.encrypted', data: 'T', format: 'google-gemini-v1', index: 0 },
              { type: 'reasoning.encrypted', data: 'S', format: 'google-gemini-v1', index: 1 },
            ],
          },
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 15,
        cached_tokens: 4,
        completion_tokens: 5,
        reasoning_tokens: 2,
        prompt_audio_tokens: 7,
      },
      model: 'v',
      service_tier: 'flex',
    })
  })

  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['BLOCKLIST', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['SPII', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['IMAGE_PROHIBITED_CONTENT', 'content_filter'],
    ['IMAGE_RECITATION', 'content_filter'],
    ['MODEL_ARMOR', 'content_filter'],
    ['LANGUAGE', 'content_filter'],
    ['SOMETHING_NEW', 'stop'],
  ])('ends by %s as %s', async (finishReason, reason) => {
    const { choices } = await whole({ candidates: [{ finishReason }] })
    expect(choices).toEqual([{ index: 0, message: {}, finish_reason: reason }])
  })

  it.each([
    'MALFORMED_FUNCTION_CALL',
    'UNEXPECTED_TOOL_CALL',
    'TOO_MANY_TOOL_CALLS',
    'MALFORMED_RESPONSE',
    'MISSING_THOUGHT_SIGNATURE',
    'OTHER',
    'NO_IMAGE',
    'IMAGE_OTHER',
    'FINISH_REASON_UNSPECIFIED',
  ])('fails by %s where there is neither text nor a call, and ends by it otherwise', async finishReason => {
    const failed = { kind: 'refused', status: 424 }
    const thought = candidate([{ text: 'Hm.', thought: true }], { finishReason })
    await expect(whole({ candidates: [{ finishReason }] })).rejects.toMatchObject(failed)
    await expect(whole(thought)).rejects.toMatchObject(failed)
    const { choices } = await whole(candidate([{ text: 'a' }], { finishReason }))
    expect(choices).toEqual([{ index: 0, message: { content: 'a' }, finish_reason: 'stop' }])
    const two = [
      { content: { parts: [{ text: 'a' }] }, ...done },
      { index: 1, finishReason },
    ]
    await expect(whole({ candidates: two })).rejects.toMatchObject(failed)

    const used = { usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 } }
    const broken = await streamed(events({ candidates: [{ finishReason }], ...used }))
    expect(broken.failure).toMatchObject(failed)
    expect(broken.chunks).toEqual([{ choices: [], usage: { prompt_tokens: 9, completion_tokens: 0 } }])
    const { chunks, failure } = await streamed(
      events(candidate([{ text: 'a' }]), { candidates: [{ finishReason }] }),
    )
    expect(failure).toBeUndefined()
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop')
  })

  it('keeps a call of a tool that was given, and no other, where Gemini did not expect it', async () => {
    const parts = [{ functionCall: { name: 'weather' } }, { functionCall: { name: 'other' } }]
    const value = candidate(parts, { finishReason: 'UNEXPECTED_TOOL_CALL' })
    const { choices } = await whole(value, { tools: [weather] })
    expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { name: 'weather' } }])
    await expect(whole(value)).rejects.toMatchObject({ kind: 'refused', status: 424 })
  })

  it('keeps calls of custom tools as of any that were given', async () => {
    const value = candidate([{ functionCall: { name: 'sql' } }], { finishReason: 'UNEXPECTED_TOOL_CALL' })
    const { choices } = await whole(value, { tools: [{ type: 'custom', custom: { name: 'sql' } }] })
    expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { name: 'sql' } }])
  })

  it('to a blocked prompt is a refusal', async () => {
    const blocked = { promptFeedback: { blockReason: 'SAFETY', safetyRatings: [] } }
    expect(await whole({ ...blocked, usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 } })).toEqual({
      choices: [
        {
          index: 0,
          message: { refusal: 'The prompt was blocked (SAFETY).' },
          finish_reason: 'content_filter',
        },
      ],
      usage: { prompt_tokens: 4, completion_tokens: 0 },
    })
  })

  it('has as many choices as candidates', async () => {
    const { choices } = await whole({
      candidates: [
        { content: { parts: [{ text: 'a' }] }, ...done },
        { content: { parts: [{ text: 'b' }] }, ...done, index: 1 },
      ],
    })
    expect(choices.map(({ index, message }) => [index, message.content])).toEqual([
      [0, 'a'],
      [1, 'b'],
    ])
  })

  it('has log probabilities', async () => {
    const logprobsResult = {
      chosenCandidates: [{ token: 'a', tokenId: 1, logProbability: -0.1 }, { token: 'b' }],
      topCandidates: [
        {
          candidates: [
            { token: 'a', logProbability: -0.1 },
            { token: 'z', logProbability: -3 },
          ],
        },
      ],
    }
    const { choices } = await whole(candidate([{ text: 'ab' }], { ...done, logprobsResult, avgLogprobs: -1 }))
    expect(choices[0]?.logprobs).toEqual({
      content: [
        {
          token: 'a',
          logprob: -0.1,
          bytes: null,
          top_logprobs: [
            { token: 'a', logprob: -0.1, bytes: null },
            { token: 'z', logprob: -3, bytes: null },
          ],
        },
        { token: 'b', logprob: -9999, bytes: null, top_logprobs: [] },
      ],
      refusal: null,
    })
  })

  it('has its sources, measured in UTF-16', async () => {
    const text = 'Größe: 5 😀 m. Ende.'
    const bytes = (words: string) => new TextEncoder().encode(words).length
    const groundingMetadata = {
      groundingChunks: [
        { web: { uri: 'https://a.example/', title: 'A' } },
        { retrievedContext: { text: 'no address' } },
        { retrievedContext: { uri: 'https://b.example/' } },
      ],
      groundingSupports: [
        {
          segment: { endIndex: bytes('Größe: 5 😀 m.'), text: 'Größe: 5 😀 m.' },
          groundingChunkIndices: [0, 1, 2, 9],
        },
        {
          segment: { startIndex: bytes('Größe: 5 😀 m. '), endIndex: bytes(text), text: 'Ende.' },
          groundingChunkIndices: [2],
        },
        { segment: { partIndex: 1, endIndex: 5, text: 'Ende.' }, groundingChunkIndices: [0] },
      ],
    }
    const { choices } = await whole(candidate([{ text }], { ...done, groundingMetadata }))
    const found = choices[0]?.message.annotations?.map(({ url_citation }) => {
      const { start_index, end_index, url, title } = url_citation as Record<string, never>
      return [text.slice(start_index, end_index), url, title]
    })
    expect(found).toEqual([
      ['Größe: 5 😀 m.', 'https://a.example/', 'A'],
      ['Größe: 5 😀 m.', 'https://b.example/', 'https://b.example/'],
      ['Ende.', 'https://b.example/', 'https://b.example/'],
      ['Ende.', 'https://a.example/', 'A'],
    ])
  })

  it.each(['citationSources', 'citations'])('has what it recites: %s', async list => {
    const text = 'Ö, wie schön!'
    const citationMetadata = {
      [list]: [
        { startIndex: 4, endIndex: 15, uri: 'https://a.example/', license: '' },
        { startIndex: 4, endIndex: 15, uri: 'https://a.example/', license: '' },
        { startIndex: 0, endIndex: 2, license: 'mit' },
        { startIndex: 90, endIndex: 99, uri: 'https://withheld.example/' },
      ],
    }
    const { choices } = await whole(candidate([{ text }], { ...done, citationMetadata }))
    expect(choices[0]?.message.annotations).toEqual([
      {
        type: 'url_citation',
        url_citation: {
          start_index: 3,
          end_index: 13,
          url: 'https://a.example/',
          title: 'https://a.example/',
        },
      },
    ])
  })

  it.each(['BLOCK_REASON_UNSPECIFIED', 'BLOCKED_REASON_UNSPECIFIED', ''])(
    'is not blocked by no reason: %j',
    async blockReason => {
      const { choices } = await whole({
        ...candidate([{ text: 'a' }], done),
        promptFeedback: { blockReason },
      })
      expect(choices[0]?.message).toEqual({ content: 'a' })
      const { chunks } = await streamed(
        events({ promptFeedback: { blockReason } }, candidate([{ text: 'a' }], done)),
      )
      expect(deltas(chunks)).toEqual([{ content: 'a' }])
    },
  )

  it.each([
    ['', 'garbled'],
    ['nothing', 'garbled'],
    ['{}', 'garbled'],
    ['[]', 'garbled'],
    ['null', 'garbled'],
    ['{"candidates":[]}', 'garbled'],
    ['{"usageMetadata":{"promptTokenCount":1}}', 'garbled'],
    ['[{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}]', 'refused'],
    ['{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}', 'refused'],
  ])('is not %j', async (body, kind) => {
    expect(await failureOf(whole(body))).toMatchObject({ kind })
  })

  it('is not a web page', async () => {
    const response = scriptedResponse({ body: '<html>', headers: { 'content-type': 'text/html' } })
    expect(await failureOf(decodeGenerateContent(response, callFor()))).toMatchObject({ kind: 'garbled' })
  })
})

describe('an error answer', () => {
  async function refused(error: unknown, status = 429, headers: Record<string, string> = {}) {
    const response = scriptedResponse({ status, headers, body: JSON.stringify({ error }) })
    return failureOf(decodeGenerateContent(response, callFor(), () => 0))
  }
  const quota = (quotaId: string) => ({
    '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
    violations: [{ quotaId }],
  })
  const exhausted = {
    code: 429,
    message: 'You exceeded your current quota. Please retry in 48.9s.',
    status: 'RESOURCE_EXHAUSTED',
  }

  it('of a quota for a minute is a rate limit', async () => {
    expect(await refused({ ...exhausted, details: [quota('PerMinutePerProject')] })).toMatchObject({
      kind: 'refused',
      status: 429,
      code: null,
      retryAfterMs: 48_900,
    })
  })

  it('of a quota for a day is a spent quota', async () => {
    const details = [quota('PerMinute'), quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier')]
    expect(await refused({ ...exhausted, details })).toMatchObject({
      status: 429,
      code: 'insufficient_quota',
    })
  })

  it('tells how long to wait, the header first', async () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7.25s' }]
    expect(await refused({ ...exhausted, details })).toMatchObject({ retryAfterMs: 7_250 })
    expect(await refused({ ...exhausted, details }, 429, { 'retry-after': '3' })).toMatchObject({
      retryAfterMs: 3_000,
    })
    const { retryAfterMs } = await refused({
      code: 429,
      message: 'Slow down.',
      details: [{ retryDelay: 'soon' }],
    })
    expect(retryAfterMs).toBeUndefined()
  })

  it.each([
    ['User location is not supported for the API use.', 403],
    ['The cached content has expired.', 400],
  ])('of a precondition: %s', async (message, status) => {
    const error = { code: 400, message, status: 'FAILED_PRECONDITION' }
    expect(await refused(error, 400)).toMatchObject({ status })
  })

  it.each([
    [503, { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' }],
    [500, { code: 500, message: 'Internal error.', status: 'INTERNAL' }],
    [504, { code: 504, message: 'Too late.', status: 'DEADLINE_EXCEEDED' }],
    [403, { code: 403, message: 'No.', status: 'PERMISSION_DENIED' }],
  ])('keeps its status %i', async (status, error) => {
    expect(await refused(error, status)).toMatchObject({
      kind: 'refused',
      status,
      vendorMessage: error.message,
    })
  })

  it('may be a list, or nothing that can be read', async () => {
    const error = { code: 400, message: 'x', details: [{ reason: 'API_KEY_INVALID' }] }
    const list = scriptedResponse({ status: 400, body: JSON.stringify([{ error }]) })
    expect(await failureOf(decodeGenerateContent(list, callFor()))).toMatchObject({ status: 401 })
    const page = scriptedResponse({ status: 502, body: '<html>' })
    expect(await failureOf(decodeGenerateContent(page, callFor()))).toMatchObject({ status: 502 })
    const cut = scriptedResponse({ status: 500, failure: new Error('cut') })
    expect(await failureOf(decodeGenerateContent(cut, callFor()))).toMatchObject({
      kind: 'refused',
      status: 500,
    })
  })
})

describe('a stream', () => {
  it('is told as it comes; parallel calls, one for each chunk, stay apart', async () => {
    const body = events(
      candidate([{ text: 'Hm.', thought: true }]),
      { usageMetadata: { promptTokenCount: 5 } },
      candidate([{ text: 'a' }]),
      candidate([{ functionCall: { name: 'f', args: { n: 1 } }, thoughtSignature: 'C' }]),
      candidate([{ functionCall: { name: 'f', args: { n: 2 } } }]),
      {
        ...candidate([{ text: '', thoughtSignature: 'S' }], done),
        usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 9 },
      },
    )
    const { chunks, failure } = await streamed(body, given)
    expect(failure).toBeUndefined()
    expect(deltas(chunks)).toEqual([
      { reasoning_content: 'Hm.' },
      { content: 'a' },
      {
        tool_calls: [
          {
            index: 0,
            type: 'function',
            function: { name: 'f', arguments: '{"n":1}' },
            extra_content: { google: { thought_signature: 'C' } },
          },
        ],
      },
      { tool_calls: [{ index: 1, type: 'function', function: { name: 'f', arguments: '{"n":2}' } }] },
      {
        reasoning_details: [{ type: 'reasoning.encrypted', data: 'S', format: 'google-gemini-v1', index: 0 }],
      },
    ])
    expect(chunks.map(({ usage }) => usage?.completion_tokens)).toEqual([
      undefined,
      0,
      undefined,
      undefined,
      undefined,
      9,
    ])
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop')
  })

  it('keeps calls of tools that were not given until its end', async () => {
    const call = (name: string) => candidate([{ functionCall: { name } }])
    const end = (finishReason: string) => ({ candidates: [{ finishReason }] })
    const called = async (...values: unknown[]) =>
      deltas((await streamed(events(...values), given)).chunks).map(delta =>
        delta.tool_calls?.map(one => [one.index, one.function?.name]),
      )
    expect(await called(call('other'), call('f'), end('STOP'))).toEqual([
      undefined,
      [[1, 'f']],
      [[0, 'other']],
    ])
    expect(await called(call('f'), call('other'), end('UNEXPECTED_TOOL_CALL'))).toEqual([
      [[0, 'f']],
      undefined,
    ])
    expect(await called(call('other'), { error: { code: 500, message: 'x' } })).toEqual([
      undefined,
      [[0, 'other']],
    ])
  })

  it('gives an id once', async () => {
    const part = { functionCall: { id: 'same', name: 'f' } }
    const { chunks } = await streamed(events(candidate([part]), candidate([part], done)))
    const calls = deltas(chunks).flatMap(delta => delta.tool_calls ?? [])
    expect(calls.map(({ id, index }) => [id, index])).toEqual([
      ['same', 0],
      [undefined, 1],
    ])
  })

  it('has several candidates, and ends when all of them have', async () => {
    const one = { candidates: [{ index: 1, content: { parts: [{ text: 'b' }] }, ...done }] }
    const other = { candidates: [{ index: 0, content: { parts: [{ text: 'a' }] } }] }
    const half = await streamed(events(one, other))
    expect(half.failure).toMatchObject({ kind: 'truncated' })
    expect(deltas(half.chunks, 1)).toEqual([{ content: 'b' }])
    expect((await streamed(events(one, other, candidate([], done)))).failure).toBeUndefined()
  })

  it('tells all signatures and sources in one piece, before the end', async () => {
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: 'https://a.example/', title: 'A' } }],
      groundingSupports: [{ segment: { startIndex: 1, endIndex: 3 }, groundingChunkIndices: [0] }],
    }
    const { chunks } = await streamed(
      events(
        candidate([{ text: 'é', thoughtSignature: 'S0' }], { groundingMetadata: {} }),
        candidate([{ text: 'é' }], { groundingMetadata }),
        candidate([{ text: 'x', thoughtSignature: 'S1' }], done),
      ),
    )
    const told = deltas(chunks)
    expect(told.map(delta => [delta.reasoning_details?.length, delta.annotations?.length])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      [2, 1],
    ])
    expect(told[2]?.annotations).toEqual([
      {
        type: 'url_citation',
        url_citation: { start_index: 0, end_index: 1, url: 'https://a.example/', title: 'A' },
      },
    ])
  })

  it('to a blocked prompt is a refusal, and whole', async () => {
    const blocked = {
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 1 },
    }
    const { chunks, failure } = await streamed(events(blocked))
    expect(failure).toBeUndefined()
    expect(chunks).toMatchObject([
      {
        choices: [
          {
            delta: { refusal: 'The prompt was blocked (PROHIBITED_CONTENT).' },
            finish_reason: 'content_filter',
          },
        ],
        usage: { prompt_tokens: 1 },
      },
    ])
  })

  it('keeps to a blocked prompt, and to reasons that were given before', async () => {
    const blocked = { promptFeedback: { blockReason: 'SAFETY' } }
    const late = await streamed(events(blocked, candidate([{ text: 'a' }], done), blocked))
    expect(deltas(late.chunks)).toEqual([{ refusal: 'The prompt was blocked (SAFETY).' }])
    const after = await streamed(events(candidate([{ text: 'a' }], done), blocked))
    expect(after.chunks.flatMap(({ choices }) => choices.map(choice => choice.finish_reason))).toEqual([
      'stop',
    ])
  })

  it('may carry the end mark of another protocol', async () => {
    const mark = 'data: [DONE]\n\n'
    const { chunks, failure } = await streamed(events(candidate([{ text: 'a' }], done)) + mark)
    expect(failure).toBeUndefined()
    expect(deltas(chunks)).toEqual([{ content: 'a' }])
    const cut = await streamed(events(candidate([{ text: 'a' }])) + mark)
    expect(cut.failure).toMatchObject({ kind: 'truncated' })
  })

  it('cites by its bytes, over chunks', async () => {
    const groundingMetadata = (endIndex: number) => ({
      groundingChunks: [{ web: { uri: 'https://a.example/', title: 'A' } }],
      groundingSupports: [{ segment: { startIndex: 2, endIndex }, groundingChunkIndices: [0] }],
    })
    const { chunks } = await streamed(
      events(
        candidate([{ text: 'ü😀' }], { groundingMetadata: groundingMetadata(6) }),
        candidate([{ text: '漢a' }], { groundingMetadata: groundingMetadata(6) }),
        candidate([{ text: '.' }], { ...done, groundingMetadata: groundingMetadata(9) }),
      ),
    )
    const { annotations } = deltas(chunks).at(-1) ?? {}
    expect(annotations?.map(({ url_citation }) => url_citation)).toMatchObject([
      { start_index: 1, end_index: 3 },
      { start_index: 1, end_index: 4 },
    ])
  })

  it('is garbled where it names sources without end', async () => {
    const uri = `https://a.example/${'x'.repeat(1_000_000)}`
    const value = candidate([{ text: 'a' }], { citationMetadata: { citations: [{ endIndex: 1, uri }] } })
    const { failure } = await streamed(events(value, value, value, value, value))
    expect(failure).toMatchObject({ kind: 'garbled' })
  })

  it('that is blocked on the way only ends', async () => {
    const { chunks, failure } = await streamed(
      events(candidate([{ text: 'a' }]), { promptFeedback: { blockReason: 'OTHER' } }),
    )
    expect(failure).toBeUndefined()
    expect(chunks.at(-1)?.choices).toEqual([{ index: 0, delta: {}, finish_reason: 'content_filter' }])
  })

  it('puts calls together that come in pieces', async () => {
    const piece = (functionCall: Record<string, unknown>) => candidate([{ functionCall }])
    const more = { willContinue: true }
    const { chunks } = await streamed(
      events(
        candidate([{ functionCall: { name: 'f', id: 'i', ...more }, thoughtSignature: 'C' }]),
        piece({ partialArgs: [{ jsonPath: '$.a', stringValue: 'x', willContinue: true }], ...more }),
        piece({ partialArgs: [{ jsonPath: '$.b[1]', boolValue: true }], ...more }),
        piece({ partialArgs: [{ jsonPath: '$.a', stringValue: 'y' }], ...more }),
        piece({ partialArgs: [{ jsonPath: "$['c d'].e", nullValue: 'NULL_VALUE' }], ...more }),
        piece({ name: 'g', ...more }),
        candidate([{ text: 'after' }]),
        candidate([{ functionCall: {} }], done),
      ),
    )
    expect(deltas(chunks).flatMap(delta => delta.tool_calls ?? [])).toEqual([
      {
        index: 0,
        id: 'i',
        type: 'function',
        function: { name: 'f', arguments: '{"a":"xy","b":[null,true],"c d":{"e":null}}' },
        extra_content: { google: { thought_signature: 'C' } },
      },
      { index: 1, type: 'function', function: { name: 'g', arguments: '{}' } },
    ])
  })

  it.each<[unknown, string]>([
    ['$', 'no step'],
    ['$.a[*]', 'a wildcard'],
    ['a', 'no root'],
    ['$.a[999999999]', 'too far'],
    [7, 'no path'],
  ])('with a piece at %j is garbled: %s', async jsonPath => {
    const functionCall = { name: 'f', partialArgs: [{ jsonPath, stringValue: 'x' }] }
    const { failure } = await streamed(events(candidate([{ functionCall }], done)))
    expect(failure).toMatchObject({ kind: 'garbled' })
  })

  it.each([
    ['an object', { error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } }],
    ['a list', [{ error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } }]],
  ])('ends by an error in it: %s', async (_what, error) => {
    const { chunks, failure } = await streamed(events(candidate([{ text: 'a' }]), error))
    expect(deltas(chunks)).toEqual([{ content: 'a' }])
    expect(failure).toMatchObject({ kind: 'refused', status: 503, vendorMessage: 'overloaded' })
  })

  it('ends by an error that stands in it as bare JSON', async () => {
    const error = { error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } }
    const before = events(candidate([{ text: 'a' }]))
    for (const bare of [
      JSON.stringify(error),
      JSON.stringify([error], null, 2),
      JSON.stringify(error, null, 2),
    ]) {
      const { chunks, failure } = await streamed(before + bare)
      expect(deltas(chunks)).toEqual([{ content: 'a' }])
      expect(failure).toMatchObject({ kind: 'refused', status: 503, vendorMessage: 'overloaded' })
      expect((await streamed(before + bare.slice(0, -3))).failure).toMatchObject({ kind: 'truncated' })
    }
  })

  it('may be a list of JSON, or one answer', async () => {
    const parts = [candidate([{ text: 'a' }]), candidate([{ text: 'b' }], done)]
    const list = await streamed(JSON.stringify(parts))
    expect(list.failure).toBeUndefined()
    expect(deltas(list.chunks)).toEqual([{ content: 'a' }, { content: 'b' }])
    expect(deltas((await streamed(JSON.stringify(parts[1]))).chunks)).toEqual([{ content: 'b' }])
    const error = { error: { code: 429, message: 'x', details: [{ retryDelay: '2s' }] } }
    const failed = await streamed(JSON.stringify([parts[0], error]))
    expect(deltas(failed.chunks)).toEqual([{ content: 'a' }])
    expect(failed.failure).toMatchObject({ kind: 'refused', status: 429, retryAfterMs: 2_000 })
    expect((await streamed(JSON.stringify([parts[0]]))).failure).toMatchObject({ kind: 'truncated' })
    expect((await streamed(JSON.stringify(parts).slice(0, -9))).failure).toMatchObject({ kind: 'truncated' })
  })

  it.each([
    ['', 'truncated'],
    [events({}), 'truncated'],
    ['[]', 'truncated'],
    [' \n[{"candidates":', 'truncated'],
    ['[nothing] \n', 'garbled'],
    ['[1]', 'garbled'],
    ['data: nothing\n\n', 'garbled'],
    ['data: [1]\n\n', 'garbled'],
    [events(candidate([{ text: 'a' }])), 'truncated'],
  ])('is not %j', async (body, kind) => {
    expect((await streamed(body)).failure).toMatchObject({ kind })
  })

  it('is never a crash, whatever comes', async () => {
    const odd = fc.oneof(fc.jsonValue(), fc.constantFrom(null, 0, '', [], {}, true, 'STOP', [null], [{}]))
    const record = (keys: readonly string[], value: fc.Arbitrary<unknown>) =>
      fc.record(Object.fromEntries(keys.map(key => [key, value])), { requiredKeys: [] })
    const call = fc.oneof(odd, record(['name', 'id', 'args', 'partialArgs', 'willContinue'], odd))
    const part = fc.oneof(
      odd,
      record(['text', 'thought', 'thoughtSignature', 'functionCall'], fc.oneof(odd, call)),
    )
    const content = fc.oneof(odd, fc.record({ parts: fc.oneof(odd, fc.array(part)) }))
    const one = fc.oneof(
      odd,
      record(
        ['content', 'finishReason', 'index', 'groundingMetadata', 'logprobsResult'],
        fc.oneof(odd, content),
      ),
    )
    const response = record(
      ['candidates', 'promptFeedback', 'usageMetadata', 'error'],
      fc.oneof(odd, fc.array(one)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(odd, response), { maxLength: 4 }), async values => {
        await streamed(events(...values))
        await whole(values[0] ?? {}).catch(failure => {
          if (!UpstreamError.is(failure)) throw failure
        })
      }),
      { numRuns: 300 },
    )
  })
})
