import type { Expected } from '../expected.ts'
import type { Handmade } from '../handmade.ts'
import type { Sent } from '../replaying.ts'
import { told, within } from '../told.ts'
import { jsonOf } from './json-of.ts'
import { sseOf } from './sse-of.ts'

const errors = 'Gemini API, Troubleshooting; google.rpc.Status'
const streaming = 'Gemini API, models.streamGenerateContent'
const reasons = 'Gemini API, GenerateContentResponse, FinishReason'
const feedback = 'Gemini API, GenerateContentResponse, PromptFeedback'
const citing = 'Gemini API, GroundingMetadata'
const calling = 'Gemini API, Function calling'

type Json = Record<string, unknown>

/** One event as the vendor frames it. */
function event(data: unknown): string {
  return `data: ${JSON.stringify(data)}\r\n\r\n`
}

const usageMetadata = { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 }
const counts = { prompt: 11, completion: 7 }

/** A response with one candidate, which says these parts. */
function response(parts: readonly Json[], of: Json = {}): Json {
  const content = { role: 'model', parts }
  return {
    candidates: [{ content, index: 0, ...of }],
    usageMetadata,
    modelVersion: 'gemini-2.5-flash',
    responseId: 'handmade',
  }
}

/** The same without content. */
function bare(of: Json): Json {
  return { ...response([]), candidates: [{ index: 0, ...of }] }
}

const stop = { finishReason: 'STOP' }
const soFar = event(response([{ text: 'So far' }]))

/** What broke off after these words. */
const broken = (words: string, error: Expected['error'] = within(told.failed)): Expected => ({
  choices: [{ text: words }],
  ...(error === undefined ? {} : { error }),
})

const type = (name: string) => `type.googleapis.com/google.rpc.${name}`
const failure = (code: number, status: string, message: string, details?: readonly Json[]): Json => ({
  error: { code, message, status, ...(details === undefined ? {} : { details }) },
})
const overloaded = failure(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.')
const quota = (quotaId: string, retryDelay: string) =>
  failure(
    429,
    'RESOURCE_EXHAUSTED',
    `You exceeded your current quota, please check your plan and billing details.\nPlease retry in ${retryDelay}.`,
    [
      { '@type': type('Help'), links: [{ description: 'Learn more', url: 'https://ai.google.dev/' }] },
      { '@type': type('QuotaFailure'), violations: [{ quotaId, quotaValue: '20' }] },
      { '@type': type('RetryInfo'), retryDelay },
    ],
  )
const perMinute = quota('GenerateRequestsPerMinutePerProjectPerModel-FreeTier', '48.2s')
const perDay = quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier', '36s')

const refused: readonly Handmade[] = (
  [
    ['429 for a minute', 429, perMinute, { ...told.rateLimited, retryAfter: '49' }],
    ['429 for the day', 429, perDay, told.quota],
    [
      '429 without details',
      429,
      failure(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'),
      told.rateLimited,
    ],
    ['429 as an array', 429, [perMinute], { ...told.rateLimited, retryAfter: '49' }],
    ['503 overloaded', 503, overloaded, told.overloaded],
    ['503 overloaded as an array', 503, [overloaded], told.overloaded],
    ['500 failed', 500, failure(500, 'INTERNAL', 'An internal error has occurred.'), told.failed],
    ['504 timed out', 504, failure(504, 'DEADLINE_EXCEEDED', 'Deadline expired.'), told.timeout],
    [
      '403 forbidden',
      403,
      failure(403, 'PERMISSION_DENIED', 'Method doesn\u2019t allow unregistered callers.'),
      told.auth,
    ],
    [
      '400 invalid',
      400,
      failure(400, 'INVALID_ARGUMENT', 'Function calling config is set without function_declarations.'),
      { ...told.invalid, message: 'Function calling config is set without function_declarations.' },
    ],
    [
      '400 expired key',
      400,
      failure(400, 'INVALID_ARGUMENT', 'API key expired. Please renew the API key.', [
        { '@type': type('ErrorInfo'), reason: 'API_KEY_INVALID', domain: 'googleapis.com' },
      ]),
      told.auth,
    ],
    [
      '400 too long',
      400,
      failure(
        400,
        'INVALID_ARGUMENT',
        'The input token count exceeds the maximum number of tokens allowed 1048576.',
      ),
      { ...told.tooLong, message: 'tokens allowed 1048576.' },
    ],
    ['200 overloaded', 200, overloaded, told.overloaded],
    ['200 overloaded as an array', 200, [overloaded], told.overloaded],
    ['200 with nothing in it', 200, {}, told.failed],
    ['200 with counts alone', 200, { usageMetadata }, told.failed],
  ] as const
).map(([name, status, body, error]) => ({
  name: `error ${name}`,
  source: errors,
  sent: jsonOf(body, status),
  expected: { error },
}))

/** What comes before the first content is told as a status, what comes after it as an event. */
const failingStreams: readonly Handmade[] = (
  [
    ['overloaded as the first event', [event(overloaded)], { error: told.overloaded }],
    ['overloaded as the first event, in an array', [event([overloaded])], { error: told.overloaded }],
    ['limited as the first event', [event(perMinute)], { error: { ...told.rateLimited, retryAfter: '49' } }],
    ['used up as the first event', [event(perDay)], { error: told.quota }],
    [
      'overloaded before the first content',
      [event({ usageMetadata: { promptTokenCount: 11 } }), event(overloaded)],
      { error: told.overloaded },
    ],
    ['overloaded in the middle', [soFar, event(overloaded)], broken('So far', within(told.overloaded))],
    [
      'overloaded in the middle, in an array',
      [soFar, event([overloaded])],
      broken('So far', within(told.overloaded)),
    ],
    ['limited in the middle', [soFar, event(perMinute)], broken('So far', within(told.rateLimited))],
    [
      'failed in the middle',
      [soFar, event(failure(500, 'INTERNAL', 'An internal error has occurred.'))],
      broken('So far'),
    ],
    ['garbled as the first event', ['data: {"candidates": [{"content"\r\n\r\n'], { error: told.failed }],
    ['garbled in the middle', [soFar, 'data: {"candidates": [{"content"\r\n\r\n'], broken('So far')],
    // Google's own client looks for these: an error's JSON that stands in the stream without an event around it.
    ['overloaded as the whole body', [JSON.stringify(overloaded, null, 2)], { error: told.overloaded }],
    [
      'overloaded in the middle, outside of an event',
      [soFar, JSON.stringify(overloaded, null, 2)],
      broken('So far', within(told.overloaded)),
    ],
    ['nothing at all', [], { error: told.failed }],
    ['counts alone', [event({ usageMetadata })], { error: told.failed }],
    [
      'an end before the reason',
      [soFar, event(response([{ text: ', so good' }]))],
      broken('So far, so good'),
    ],
    ['an end within an event', [soFar, 'data: {"candidates": [{"con'], broken('So far')],
    [
      'an end before the reason of a call',
      [event(response([{ functionCall: { name: 'look_up', args: { word: 'a' } } }]))],
      {
        choices: [{ calls: [{ name: 'look_up', arguments: { word: 'a' } }] }],
        error: within(told.failed),
      },
    ],
  ] as const
).map(([name, events, expected]) => ({
  name: `stream: ${name}`,
  source: streaming,
  stream: true,
  sent: sseOf(events),
  expected,
}))

const cutStreams: readonly Handmade[] = (['cut', 'reset'] as const).map(end => ({
  name: `stream: a ${end} in the middle`,
  source: streaming,
  stream: true,
  sent: sseOf([soFar], end),
  expected: broken('So far'),
}))

/** What is sent as a whole answer, and what as a stream, where both say the same. */
function bothWays(
  made: { readonly name: string; readonly source: string; readonly expected: Expected },
  whole: Json,
  events: readonly Json[] = [whole],
): Handmade[] {
  const sent = (stream: boolean): Sent => (stream ? sseOf(events.map(event)) : jsonOf(whole))
  return [false, true].map(stream => ({
    ...made,
    name: `${stream ? 'stream' : 'whole'}: ${made.name}`,
    stream,
    sent: sent(stream),
  }))
}

const finishes: readonly Handmade[] = (
  [
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['LANGUAGE', 'content_filter'],
    ['BLOCKLIST', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['SPII', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['IMAGE_PROHIBITED_CONTENT', 'content_filter'],
    ['IMAGE_RECITATION', 'content_filter'],
    ['MODEL_ARMOR', 'content_filter'],
    ['TOO_MANY_TOOL_CALLS', 'stop'],
    ['NO_IMAGE', 'stop'],
    ['IMAGE_OTHER', 'stop'],
    ['OTHER', 'stop'],
    ['FINISH_REASON_UNSPECIFIED', 'stop'],
    ['A_REASON_TO_COME', 'stop'],
  ] as const
).flatMap(([finishReason, finish]) =>
  bothWays(
    {
      name: finishReason,
      source: reasons,
      expected: { choices: [{ text: 'Until here', finish }], usage: counts },
    },
    response([{ text: 'Until here' }], { finishReason }),
    [response([{ text: 'Until' }]), response([{ text: ' here' }]), bare({ finishReason })],
  ),
)

const ratings = [{ category: 'HARM_CATEGORY_DANGEROUS_CONTENT', probability: 'HIGH', blocked: true }]
const silent: readonly Handmade[] = [
  ...bothWays(
    {
      name: 'SAFETY with content that is empty',
      source: reasons,
      expected: { choices: [{ finish: 'content_filter' }], usage: counts },
    },
    bare({ content: {}, finishReason: 'SAFETY', safetyRatings: ratings }),
  ),
  ...bothWays(
    {
      name: 'RECITATION with what was recited',
      source: reasons,
      expected: { choices: [{ finish: 'content_filter' }], usage: counts },
    },
    bare({
      finishReason: 'RECITATION',
      citationMetadata: {
        citationSources: [{ startIndex: 0, endIndex: 9, uri: 'https://example.com/poem', license: '' }],
      },
    }),
  ),
  ...bothWays(
    {
      name: 'MALFORMED_FUNCTION_CALL, whose text is no answer',
      source: reasons,
      expected: { error: told.failed },
    },
    bare({
      content: {},
      finishReason: 'MALFORMED_FUNCTION_CALL',
      finishMessage: 'Malformed function call: print(default_api.look_up(word="a',
    }),
  ),
  ...bothWays(
    {
      name: 'a prompt that was blocked without a reason in words',
      source: feedback,
      expected: {
        choices: [{ refusal: 'The prompt was blocked (PROHIBITED_CONTENT).', finish: 'content_filter' }],
        usage: { prompt: 11, completion: 0 },
      },
    },
    {
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT', safetyRatings: ratings },
      usageMetadata: { promptTokenCount: 11, totalTokenCount: 11 },
      modelVersion: 'gemini-2.5-flash',
    },
  ),
]

const lookUp = { type: 'function', function: { name: 'look_up' } }
const called = (id?: string) => ({
  functionCall: { ...(id ? { id } : {}), name: 'look_up', args: { word: 'a' } },
})
const unexpected = {
  finishReason: 'UNEXPECTED_TOOL_CALL',
  finishMessage: 'Model tried to call an undeclared function: look_up',
}
const calls: readonly Handmade[] = [
  ...bothWays(
    {
      name: 'UNEXPECTED_TOOL_CALL of a tool that the caller does not have',
      source: reasons,
      expected: { error: told.failed },
    },
    response([called()], unexpected),
    [response([called()]), bare(unexpected)],
  ),
  ...bothWays(
    {
      name: 'UNEXPECTED_TOOL_CALL of a tool that the caller has',
      source: reasons,
      expected: {
        asked: { tools: [lookUp] },
        choices: [{ calls: [{ name: 'look_up', arguments: { word: 'a' } }], finish: 'tool_calls' }],
        usage: counts,
      },
    },
    response([called()], unexpected),
    [response([called()]), bare(unexpected)],
  ),
  ...bothWays(
    {
      name: 'calls with ids of their own, and MAX_TOKENS',
      source: calling,
      expected: {
        asked: { tools: [lookUp] },
        choices: [
          {
            text: 'Let me see.',
            calls: [
              { id: 'fc_1', name: 'look_up', arguments: { word: 'a' }, extra: signed('c2lnbmVk') },
              { id: 'fc_2', name: 'look_up', arguments: { word: 'a' } },
            ],
            finish: 'length',
          },
        ],
        usage: counts,
      },
    },
    response([{ text: 'Let me see.' }, { ...called('fc_1'), thoughtSignature: 'c2lnbmVk' }, called('fc_2')], {
      finishReason: 'MAX_TOKENS',
    }),
    [
      response([{ text: 'Let me' }]),
      response([{ text: ' see.' }]),
      response([{ ...called('fc_1'), thoughtSignature: 'c2lnbmVk' }]),
      response([called('fc_2')]),
      response([{ text: '' }], { finishReason: 'MAX_TOKENS' }),
    ],
  ),
  {
    name: 'stream: the same call twice, each the only part of its event',
    source: streaming,
    stream: true,
    sent: sseOf([called(), called()].map(part => event(response([part]))).concat(event(bare(stop)))),
    expected: {
      asked: { tools: [lookUp] },
      choices: [
        {
          calls: [
            { name: 'look_up', arguments: { word: 'a' } },
            { name: 'look_up', arguments: { word: 'a' } },
          ],
          finish: 'tool_calls',
        },
      ],
      usage: counts,
    },
  },
]

function signed(thought_signature: string) {
  return { google: { thought_signature } }
}

// 14 bytes and 10 code units: two letters of two bytes, and a face of four bytes and two code units.
const greeting = 'Gr\u00fc\u00dfe \ud83d\ude42! '
const fact = 'Ruby 4.0.6 ist da.'
const [factFrom, factTo] = [14, 32]
const grounding = {
  groundingChunks: [
    { web: { uri: 'https://example.com/a', title: 'A' } },
    { retrievedContext: { title: 'An own document', text: 'x' } },
    { web: { uri: 'https://example.com/b', title: 'B' } },
  ],
  groundingSupports: [
    { segment: { endIndex: 12, text: 'Gr\u00fc\u00dfe \ud83d\ude42' }, groundingChunkIndices: [0] },
    { segment: { startIndex: factFrom, endIndex: factTo, text: fact }, groundingChunkIndices: [0, 1, 2] },
    { segment: { startIndex: factFrom, endIndex: factTo, text: fact }, groundingChunkIndices: [9] },
    { segment: { startIndex: factFrom, endIndex: factTo, text: fact } },
  ],
  webSearchQueries: ['ruby'],
}
const cites = (url: string, title: string, start_index: number, end_index: number) => ({
  type: 'url_citation',
  url_citation: { url, title, start_index, end_index },
})
const cited: readonly Handmade[] = bothWays(
  {
    name: 'citations count bytes there and UTF-16 code units here',
    source: citing,
    expected: {
      choices: [
        {
          text: greeting + fact,
          reasoning: '\u00dcberlegen',
          annotations: [
            cites('https://example.com/a', 'A', 0, 8),
            cites('https://example.com/a', 'A', 10, 28),
            cites('https://example.com/b', 'B', 10, 28),
          ],
          finish: 'stop',
        },
      ],
      usage: counts,
    },
  },
  response([{ text: '\u00dcberlegen', thought: true }, { text: greeting }, { text: fact }], {
    ...stop,
    groundingMetadata: grounding,
  }),
  [
    response([{ text: '\u00dcberlegen', thought: true }], { groundingMetadata: {} }),
    response([{ text: greeting.slice(0, 3) }]),
    response([{ text: greeting.slice(3) }]),
    response([{ text: fact }]),
    bare({ ...stop, groundingMetadata: grounding }),
  ],
)

const unknown: readonly Handmade[] = bothWays(
  {
    name: 'what is not known yet is passed over',
    source: 'Gemini API, Part',
    expected: { choices: [{ text: 'A word', finish: 'stop' }], usage: counts },
  },
  response(
    [
      { hologram: { data: 'x' } },
      { executableCode: { language: 'PYTHON', code: 'print(1)' } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
      { text: 'A' },
      { text: ' word', gesture: 'nod' },
    ],
    { ...stop, mood: 1 },
  ),
  [
    { heartbeat: true },
    response([{ hologram: { data: 'x' } }]),
    response([{ text: 'A' }]),
    { usageMetadata },
    response([{ text: ' word', gesture: 'nod' }], { ...stop, mood: 1 }),
  ],
)

const several: readonly Handmade[] = [
  {
    name: 'stream: two candidates by turns, and counts that come last',
    source: streaming,
    stream: true,
    sent: sseOf(
      [
        {
          candidates: [{ index: 0, content: { parts: [{ text: 'To' }] } }],
          usageMetadata: { promptTokenCount: 11 },
        },
        { candidates: [{ index: 1, content: { parts: [{ text: 'As' }] } }] },
        { candidates: [{ index: 0, content: { parts: [{ text: ' be' }] }, ...stop }] },
        { candidates: [{ index: 1, content: { parts: [{ text: ' you like' }] } }] },
        { candidates: [{ index: 1, finishReason: 'MAX_TOKENS' }], usageMetadata },
        { usageMetadata: { ...usageMetadata, thoughtsTokenCount: 5, cachedContentTokenCount: 4 } },
      ].map(event),
    ),
    expected: {
      asked: { n: 2 },
      choices: [
        { text: 'To be', finish: 'stop' },
        { text: 'As you like', finish: 'length' },
      ],
      usage: { prompt: 11, completion: 12, cached: 4, reasoning: 5 },
    },
  },
  {
    name: 'stream: two candidates, of which one has no end',
    source: streaming,
    stream: true,
    sent: sseOf(
      [
        { candidates: [{ index: 0, content: { parts: [{ text: 'To be' }] }, ...stop }] },
        { candidates: [{ index: 1, content: { parts: [{ text: 'As' }] } }] },
      ].map(event),
    ),
    expected: {
      asked: { n: 2 },
      choices: [{ text: 'To be' }, { text: 'As' }],
      error: within(told.failed),
    },
  },
  {
    name: 'stream: an end without counts holds the ones before',
    source: streaming,
    stream: true,
    sent: sseOf([soFar, event({ candidates: [{ content: {}, ...stop }] })]),
    expected: { choices: [{ text: 'So far', finish: 'stop' }], usage: counts },
  },
]

export const geminiHandmade: readonly Handmade[] = [
  ...refused,
  ...failingStreams,
  ...cutStreams,
  ...finishes,
  ...silent,
  ...calls,
  ...cited,
  ...unknown,
  ...several,
]
