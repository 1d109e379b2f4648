import { once } from 'node:events'
import { connect } from 'node:net'
import { type FinishReason, GatewayError, UpstreamError } from '@sluice/core'
import {
  type Call,
  decodeSse,
  type EncodedRequest,
  type PartialChunk,
  type PartialCompletion,
  type PartialToolCall,
  type Provider,
  type Reply,
  type UpstreamResponse,
} from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { sse } from '../bodies.ts'
import { findClosedPort } from '../closed-port.ts'
import type { ProviderSamples } from './provider/provider-samples.ts'
import { providerConformance } from './provider.ts'

const secret = 'sk-acme-secret'

/** A provider of the simplest protocol that does all that a provider has to. */
const sound: Provider = {
  name: 'acme',
  encode: ({ input, model }) => {
    const { messages, stream = false, tools = [], seed } = input
    if (input.n !== undefined) throw new GatewayError('unsupported_parameter', { param: 'n' })
    return {
      method: 'POST',
      url: 'https://llm.acme.example/v1/generate',
      headers: { 'content-type': 'application/json', 'x-acme-key': secret },
      body: JSON.stringify({ model, stream, messages, tools }),
      adjustments:
        seed === undefined ? [] : [{ parameter: 'seed', action: 'dropped', detail: 'unknown to Acme' }],
    }
  },
  decode: async (response, { input }) => {
    if (response.status !== 200) throw await refusal(response)
    if (input.stream === true) return { kind: 'stream', chunks: chunksOf(response) }
    const chunk = chunkOf(response.bufferedText?.() ?? (await response.text()))
    const { choices, ...rest } = chunk
    return {
      kind: 'completion',
      completion: {
        ...rest,
        choices: choices.map(({ delta, ...choice }) => ({ ...choice, message: delta })),
      },
      ordered: [chunk],
    }
  },
}

async function refusal(response: UpstreamResponse): Promise<UpstreamError> {
  const details = { kind: 'refused', status: response.status, vendorMessage: await response.text() } as const
  return new UpstreamError('Acme refused the request.', { ...details, ...retryAfterOf(response) })
}

function retryAfterOf({ headers }: UpstreamResponse): { retryAfterMs?: number } {
  const seconds = headers.get('retry-after')
  return seconds === null ? {} : { retryAfterMs: 1000 * Number(seconds) }
}

async function* chunksOf({ body }: Pick<UpstreamResponse, 'body'>): AsyncGenerator<readonly PartialChunk[]> {
  for await (const events of decodeSse(body)) {
    const whole = events.findIndex(({ data }) => data === '[DONE]')
    yield events.slice(0, whole < 0 ? undefined : whole).map(({ data }) => chunkOf(data))
    if (whole >= 0) return
  }
  throw new UpstreamError('The stream of Acme has no end.', { kind: 'truncated' })
}

interface AcmeAnswer {
  readonly say?: string
  readonly calls?: readonly PartialToolCall[]
  readonly end?: FinishReason
  readonly tokens?: readonly [prompt: number, completion: number]
}

function chunkOf(text: string): PartialChunk {
  try {
    const { say, calls, end, tokens } = JSON.parse(text) as AcmeAnswer
    if (say === undefined && calls === undefined && end === undefined) throw new Error('nothing')
    return {
      choices: [
        {
          index: 0,
          delta: { ...(say && { content: say }), ...(calls && { tool_calls: calls }) },
          ...(end && { finish_reason: end }),
        },
      ],
      ...(tokens && { usage: { prompt_tokens: tokens[0], completion_tokens: tokens[1] } }),
    }
  } catch {
    throw new UpstreamError('Acme sent no answer.', { kind: 'garbled' })
  }
}

const pieces = ['{"city":', '"Paris – 雨"}']
const samples: ProviderSamples = {
  target: { provider: sound, model: 'acme-1' },
  secrets: [secret],
  completions: [
    {
      body: JSON.stringify({ say: 'Hello.', end: 'stop', tokens: [3, 2] }),
      expected: { text: 'Hello.', finishReason: 'stop', usage: { prompt_tokens: 3, completion_tokens: 2 } },
    },
  ],
  streams: [
    {
      name: 'text',
      events: sse([{ say: 'Hel' }, { say: 'lo – 雨.' }, { say: '', end: 'length', tokens: [3, 2] }]),
      expected: {
        text: 'Hello – 雨.',
        finishReason: 'length',
        usage: { prompt_tokens: 3, completion_tokens: 2 },
      },
    },
    {
      name: 'a tool call',
      events: sse([
        {
          calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } }],
        },
        ...pieces.map(piece => ({ calls: [{ index: 0, function: { arguments: piece } }] })),
        { say: '', end: 'tool_calls' },
      ]),
      expected: {
        toolCalls: [{ name: 'weather', arguments: pieces.join('') }],
        finishReason: 'tool_calls',
      },
    },
  ],
  errors: [
    {
      status: 429,
      headers: { 'retry-after': '2' },
      body: JSON.stringify({ error: `Too many requests for ${secret} at llm.acme.example.` }),
      expected: { retryAfterMs: 2000 },
    },
    { name: 'of the request', status: 400, body: JSON.stringify({ error: 'Your prompt is too long.' }) },
  ],
}

/** The provider with another `encode`. */
function encoding(change: (encoded: EncodedRequest, call: Call) => unknown): Provider {
  return {
    ...sound,
    encode: async call => (await change(await sound.encode(call), call)) as EncodedRequest,
  }
}

/** The provider with another answer. */
function replying(change: (reply: Reply) => Reply): Provider {
  return { ...sound, decode: async (response, call) => change(await sound.decode(response, call)) }
}

/** The provider with other chunks in its streams. */
function streaming(
  change: (chunks: AsyncIterable<readonly PartialChunk[]>) => AsyncIterable<readonly PartialChunk[]>,
): Provider {
  return replying(reply => (reply.kind === 'stream' ? { ...reply, chunks: change(reply.chunks) } : reply))
}

/** The provider with other whole answers. */
function completing(change: (completion: PartialCompletion) => PartialCompletion): Provider {
  return replying(reply =>
    reply.kind === 'completion' ? { ...reply, completion: change(reply.completion) } : reply,
  )
}

/** The provider with another order of whole answers. */
function ordering(change: (chunk: PartialChunk) => PartialChunk): Provider {
  return replying(reply =>
    reply.kind === 'completion' ? { ...reply, ordered: (reply.ordered ?? []).map(change) } : reply,
  )
}

/** The provider with another error. */
function failing(change: (error: UpstreamError) => unknown): Provider {
  return {
    ...sound,
    decode: async (response, call) => {
      try {
        return await sound.decode(response, call)
      } catch (error) {
        throw change(error as UpstreamError)
      }
    },
  }
}

let count = 0
const finish = (index: number): PartialChunk => ({ choices: [{ index, delta: {}, finish_reason: 'stop' }] })

interface Fault {
  readonly provider: Provider
  /** What the case says of it. */
  readonly error: string
}

/** What a provider can do wrong, by the case that has to find it. */
const faults: Readonly<Record<string, Readonly<Record<string, Fault>>>> = {
  'encodes a request of one message, whole and streamed': {
    'refuses every stream': {
      error: 'Unsupported parameter',
      provider: encoding((encoded, { input }) => {
        if (input.stream === true) throw new GatewayError('unsupported_parameter', { param: 'stream' })
        return encoded
      }),
    },
  },
  'encodes equal requests for equal input': {
    'counts its requests': {
      error: 'x-request',
      provider: encoding(encoded => ({
        ...encoded,
        headers: { ...encoded.headers, 'x-request': String(++count) },
      })),
    },
  },
  'encodes frozen input, and never changes its input': {
    'adds a message': {
      error: 'encode changed the call',
      provider: encoding((encoded, { input }) => {
        ;(input.messages as unknown[]).push({ role: 'user', content: 'Be brief.' })
        return encoded
      }),
    },
    'deletes a field': {
      error: 'encode changed the call',
      provider: encoding((encoded, { input }) => {
        delete (input as { stream?: boolean }).stream
        return encoded
      }),
    },
  },
  'makes no network call in encode': {
    'fetches a token': {
      error: 'undici:request:create',
      provider: encoding(async encoded => {
        await fetch(`http://127.0.0.1:${await findClosedPort()}/token`).catch(() => {})
        return encoded
      }),
    },
    'opens a socket': {
      error: 'net.client.socket',
      provider: encoding(async encoded => {
        const socket = connect(await findClosedPort(), '127.0.0.1')
        await once(socket, 'error')
        return encoded
      }),
    },
  },
  'encodes a request that can be sent': {
    'has a relative URL': {
      error: 'the URL is not absolute',
      provider: encoding(encoded => ({ ...encoded, url: '/v1/generate' })),
    },
    'has a header of two lines': {
      error: 'the header x-a cannot be sent',
      provider: encoding(encoded => ({ ...encoded, headers: { 'x-a': 'a\r\nb: c' } })),
    },
    'writes a header of the transport': {
      error: 'the header host is the transport',
      provider: encoding(encoded => ({ ...encoded, headers: { Host: 'acme' } })),
    },
    'has an object for a body': {
      error: 'the body is object',
      provider: encoding(encoded => ({ ...encoded, body: {} })),
    },
  },
  'keeps credentials out of the URL': {
    'has the key in the query': {
      error: 'the URL contains a secret',
      provider: encoding(encoded => ({ ...encoded, url: `${encoded.url}?key=${secret}` })),
    },
    'has a user name in the URL': {
      error: 'user name or a password',
      provider: encoding(encoded => ({ ...encoded, url: 'https://me:you@acme.example' })),
    },
  },
  'refuses what it cannot express by a GatewayError with status 400': {
    'throws a TypeError': {
      error: 'encode threw TypeError: functions',
      provider: encoding((encoded, { input }) => {
        if (input.functions !== undefined) throw new TypeError('functions')
        return encoded
      }),
    },
    'blames itself': {
      error: '502 !== 400',
      provider: encoding((encoded, { input }) => {
        if (input.functions !== undefined) throw new GatewayError('upstream_error')
        return encoded
      }),
    },
  },
  'reports adjustments without words of the caller': {
    'repeats a message': {
      error: 'repeats a message or a secret',
      provider: encoding((encoded, { input }) => ({
        ...encoded,
        adjustments: [{ parameter: 'messages', action: 'mapped', detail: JSON.stringify(input.messages) }],
      })),
    },
    'has an unknown action': {
      error: 'has the action ignored',
      provider: encoding(encoded => ({
        ...encoded,
        adjustments: [{ parameter: 'seed', action: 'ignored' }],
      })),
    },
  },
  'decodes whole answers to what they contain': {
    'cuts the text': {
      error: 'choice 0: text',
      provider: completing(({ choices, ...rest }) => ({
        ...rest,
        choices: choices.map(choice => ({ ...choice, message: { content: 'Hel' } })),
      })),
    },
    'has no counts': { error: 'completions[0]: usage', provider: completing(({ choices }) => ({ choices })) },
  },
  'gives the order of a whole answer as chunks of the same answer': {
    'loses a part of the order': {
      error: 'the completion that ordered folds to',
      provider: ordering(chunk => ({ ...chunk, choices: chunk.choices.slice(0, -1) })),
    },
    'has chunks of another type': {
      error: 'ordered',
      provider: ordering(({ choices, ...rest }) => ({
        ...rest,
        choices: choices.map(choice => ({ ...choice, index: -1 })),
      })),
    },
  },
  'decodes streams to what they contain': {
    'loses the second piece of each tool call': {
      error: 'arguments of weather',
      provider: streaming(async function* (chunks) {
        for await (const read of chunks) yield read.filter(chunk => !JSON.stringify(chunk).includes('Paris'))
      }),
    },
  },
  'gives parts of the types that the contract declares': {
    'has a finish reason of its own': {
      error: 'finish_reason is end_turn',
      provider: completing(({ choices, ...rest }) => ({
        ...rest,
        choices: choices.map(choice => ({ ...choice, finish_reason: 'end_turn' as 'stop' })),
      })),
    },
    'has arguments that are no text': {
      error: 'arguments is object',
      provider: streaming(async function* (chunks) {
        yield* chunks
        const call = { index: 0, function: { name: 'weather', arguments: {} as string } }
        yield [{ choices: [{ index: 0, delta: { tool_calls: [call] } }] }]
      }),
    },
    'adds fields that are no object': {
      error: 'provider_specific_fields is no object',
      provider: completing(completion => ({ ...completion, provider_specific_fields: [] as never })),
    },
    'adds a field that pollutes objects': {
      error: 'provider_specific_fields has a key __proto__',
      provider: completing(completion => ({
        ...completion,
        usage: { ...completion.usage, provider_specific_fields: JSON.parse('{"a":{"__proto__":{}}}') },
      })),
    },
    'counts in halves': {
      error: 'prompt_tokens is 0.5',
      provider: completing(completion => ({ ...completion, usage: { prompt_tokens: 0.5 } })),
    },
  },
  'gives one finish reason for each choice, and token counts at the end': {
    'finishes twice': {
      error: 'choice 0 has a second finish reason',
      provider: streaming(async function* (chunks) {
        yield* chunks
        yield [finish(0)]
      }),
    },
    'finishes first': {
      error: 'choice 0 goes on after its finish reason',
      provider: streaming(async function* (chunks) {
        yield [finish(0)]
        yield* chunks
      }),
    },
    'counts first': {
      error: 'content comes after the last token counts',
      provider: streaming(async function* (chunks) {
        yield [{ choices: [], usage: { prompt_tokens: 3 } }]
        for await (const read of chunks) yield read.map(({ choices }) => ({ choices }))
      }),
    },
    'counts less at the end': {
      error: 'prompt_tokens falls from 4 to 3',
      provider: streaming(async function* (chunks) {
        yield [{ choices: [], usage: { prompt_tokens: 4 } }]
        yield* chunks
      }),
    },
  },
  'decodes a whole answer alike however its bytes arrive': {
    'reads the first bytes alone': {
      error: 'completions[0]: one byte at a time',
      provider: {
        ...sound,
        decode: async (response, call) => {
          if (call.input.stream === true || response.status !== 200) return sound.decode(response, call)
          for await (const bytes of response.body)
            return sound.decode({ ...response, text: async () => Buffer.from(bytes).toString() }, call)
          throw new UpstreamError('Acme sent nothing.', { kind: 'truncated' })
        },
      },
    },
  },
  'decodes a stream alike however its bytes are divided': {
    'decodes each read as text': {
      error: 'streams[0] (text): one byte at a time',
      provider: {
        ...sound,
        decode: (response, call) => sound.decode({ ...response, body: decodedApart(response.body) }, call),
      },
    },
  },
  'closes the body of a stream that is left early': {
    'reads the body to its end': {
      error: 'the body was not closed',
      provider: streaming(chunks => ({
        [Symbol.asyncIterator]: () => {
          const iterator = chunks[Symbol.asyncIterator]()
          return { next: () => iterator.next(), return: async () => ({ done: true, value: undefined }) }
        },
      })),
    },
    'cannot be left': {
      error: 'the chunks have no return()',
      provider: streaming(chunks => ({
        [Symbol.asyncIterator]: () => {
          const iterator = chunks[Symbol.asyncIterator]()
          return { next: () => iterator.next() }
        },
      })),
    },
  },
  'reports a stream that is cut before its end': {
    'takes the end of the body for the end of the answer': {
      error: 'decode reported a complete answer',
      provider: streaming(async function* (chunks) {
        try {
          yield* chunks
        } catch (error) {
          if ((error as UpstreamError).kind !== 'truncated') throw error
        }
      }),
    },
    'blames the vendor': {
      error: 'the kind of the error is refused',
      provider: streaming(async function* (chunks) {
        try {
          yield* chunks
        } catch {
          throw new UpstreamError('Acme refused the request.', { kind: 'refused', status: 500 })
        }
      }),
    },
  },
  'reports a stream whose connection fails': {
    'ends where the connection fails': {
      error: 'decode reported a complete answer',
      provider: streaming(async function* (chunks) {
        try {
          yield* chunks
        } catch (error) {
          if ((error as UpstreamError).kind !== 'unreachable') throw error
        }
      }),
    },
  },
  'reports a body that is no answer': {
    'throws what the parser throws': {
      error: 'decode threw SyntaxError',
      provider: failing(error => (error.kind === 'garbled' ? new SyntaxError('JSON') : error)),
    },
    'takes a page for text': {
      error: 'decode reported a complete answer',
      provider: {
        ...sound,
        decode: async (response, call) => {
          if (response.status !== 200 || call.input.stream === true) return sound.decode(response, call)
          const text = await response.text()
          if (!text.startsWith('<')) return sound.decode({ ...response, text: async () => text }, call)
          const choices = [{ index: 0, message: { content: text }, finish_reason: 'stop' as const }]
          return { kind: 'completion', completion: { choices } }
        },
      },
    },
    'waits for more': {
      error: 'decode did not end within 5000 ms',
      provider: {
        ...sound,
        decode: (response, call) =>
          sound.decode({ ...response, body: withoutEnd(response.body), text: response.text }, call),
      },
    },
  },
  'gives up on an event that never ends': {
    'collects the body first': {
      error: 'bytes of one event',
      provider: {
        ...sound,
        decode: (response, call) =>
          call.input.stream === true
            ? sound.decode({ ...response, body: collected(response.body) }, call)
            : sound.decode(response, call),
      },
    },
  },
  'reports error answers with their status': {
    'has no status': {
      error: 'undefined !== 429',
      provider: failing(({ kind }) => new UpstreamError('Acme refused the request.', { kind })),
    },
    'never waits': {
      error: 'retryAfterMs of the error',
      provider: failing(({ kind, status = 0 }) => new UpstreamError('No.', { kind, status })),
    },
    'calls it garbled': {
      error: 'the kind of the error',
      provider: failing(({ status = 0 }) => new UpstreamError('No.', { kind: 'garbled', status })),
    },
  },
  'reports an error status whatever the body is': {
    'parses the body of an error': {
      error: 'decode threw SyntaxError',
      provider: {
        ...sound,
        decode: async (response, call) => {
          if (response.status === 200) return sound.decode(response, call)
          const { error } = JSON.parse(await response.text()) as { error: string }
          const { status } = response
          throw new UpstreamError('No.', { kind: 'refused', status, vendorMessage: error })
        },
      },
    },
  },
  'keeps secrets, hosts and the words of the vendor out of error messages': {
    'repeats the words of the vendor': {
      error: 'contains "Your prompt is too long',
      provider: failing(
        ({ kind, status = 0, vendorMessage }) =>
          new UpstreamError(status === 400 ? `Acme said ${vendorMessage}` : 'No.', { kind, status }),
      ),
    },
    'repeats the host': {
      error: 'contains "llm.acme.example',
      provider: failing(
        ({ kind, status = 0 }) => new UpstreamError('llm.acme.example refused.', { kind, status }),
      ),
    },
    'has the key in its cause': {
      error: 'contains "sk-acme-secret',
      provider: failing(
        ({ kind, status = 0 }) => new UpstreamError('No.', { kind, status, cause: { key: secret } }),
      ),
    },
  },
}

async function* decodedApart(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const bytes of body) yield Buffer.from(Buffer.from(bytes).toString('utf8'))
}

async function* withoutEnd(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* body
  await new Promise(() => {})
}

async function* collected(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const bytes of body) parts.push(bytes)
  yield Buffer.concat(parts)
}

describe('the conformance suite for providers', () => {
  const cases = providerConformance(samples)

  it.each(cases)('passes a sound provider: $name', ({ run }) => run())

  it('has a faulty provider for each case', () => {
    expect(cases.map(({ name }) => name)).toEqual(Object.keys(faults))
  })

  const faulty = Object.entries(faults).flatMap(([name, providers]) =>
    Object.entries(providers).map(([fault, { provider, error }]) => ({ name, fault, provider, error })),
  )

  it.each(faulty)('$name: fails one that $fault', async ({ name, provider, error }) => {
    const own = providerConformance({ ...samples, target: { provider, model: 'acme-1' } })
    await expect(own.find(one => one.name === name)!.run()).rejects.toThrow(error)
  })

  it.each([
    ['secrets', []],
    ['secrets', ['short']],
    ['completions', []],
    ['streams', []],
    ['errors', []],
    ['streams', [{ events: ['data: 1\n\n'], optionalEvents: 1, expected: {} }]],
  ])('throws where it could test nothing: %s %j', (name, value) => {
    expect(() => providerConformance({ ...samples, [name]: value })).toThrow(RangeError)
  })

  it('takes a key in the URL, and headers that change, where the author says so', async () => {
    const provider = encoding(encoded => ({
      ...encoded,
      url: `${encoded.url}?key=${secret}`,
      headers: { ...encoded.headers, Date: String(++count) },
    }))
    const own = {
      ...samples,
      target: { provider, model: 'acme-1' },
      secretsInUrl: true,
      timedHeaders: ['date'],
    }
    for (const { run } of providerConformance(own)) await run()
  })
})
