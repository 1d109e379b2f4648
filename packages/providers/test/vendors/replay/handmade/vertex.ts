import type { Expected } from '../expected.ts'
import type { Handmade } from '../handmade.ts'
import { told, within } from '../told.ts'
import { jsonOf } from './json-of.ts'
import { sseOf } from './sse-of.ts'

const errors = 'Vertex AI, Gemini API errors; google.rpc.Status'
const claudeSource = 'Vertex AI, Claude models, rawPredict; Messages API'

type Json = Record<string, unknown>

const failure = (code: number, status: string, message: string, details: readonly Json[] = []): Json => ({
  error: { code, message, status, details },
})
const unauthenticated = failure(
  401,
  'UNAUTHENTICATED',
  'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
  [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'ACCESS_TOKEN_TYPE_UNSUPPORTED' }],
)
const denied = failure(
  403,
  'PERMISSION_DENIED',
  "Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/projects/p' (or it may not exist).",
  [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'IAM_PERMISSION_DENIED' }],
)
const exhausted = failure(
  429,
  'RESOURCE_EXHAUSTED',
  'Resource exhausted. Please try again later. Please refer to the documentation of error code 429.',
)
const overloaded = failure(503, 'UNAVAILABLE', 'The service is currently unavailable.')

const claude = 'claude-sonnet-4@20250514'

/** Errors of the service itself: the same in front of Google's models and of others'. */
const refused: readonly Handmade[] = (
  [
    ['401 without a valid token', 401, unauthenticated, told.auth],
    ['403 forbidden', 403, denied, told.auth],
    ['429 for all', 429, exhausted, told.rateLimited],
    ['429 as an array', 429, [exhausted], told.rateLimited],
    ['503 unavailable', 503, overloaded, told.overloaded],
    ['500 failed', 500, failure(500, 'INTERNAL', 'Internal error encountered.'), told.failed],
    ['504 timed out', 504, failure(504, 'DEADLINE_EXCEEDED', 'Deadline expired.'), told.timeout],
    [
      '404 unknown',
      404,
      failure(404, 'NOT_FOUND', 'Publisher Model `projects/p/locations/l/publishers/x/models/y` not found.'),
      told.notFound,
    ],
  ] as const
).flatMap(([name, status, body, error]) => [
  { name: `error ${name}`, source: errors, sent: jsonOf(body, status), expected: { error } },
  {
    name: `error ${name}, of Claude`,
    source: errors,
    sent: jsonOf(body, status),
    expected: { model: claude, error },
  },
])

/** An event of Gemini. */
function geminiEvent(data: unknown): string {
  return `data: ${JSON.stringify(data)}\r\n\r\n`
}

const part = (text: string, of: Json = {}) =>
  geminiEvent({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, ...of }],
    usageMetadata: { trafficType: 'ON_DEMAND' },
  })
const argsPiece = (...partialArgs: readonly Json[]) =>
  geminiEvent({
    candidates: [
      {
        content: { role: 'model', parts: [{ functionCall: { partialArgs, willContinue: true } }] },
      },
    ],
  })
const callParts = (...functionCalls: readonly Json[]) =>
  geminiEvent({
    candidates: [
      { content: { role: 'model', parts: functionCalls.map(functionCall => ({ functionCall })) } },
    ],
  })
const geminiEnd = geminiEvent({
  candidates: [{ content: { role: 'model', parts: [{ text: '' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
})
const counts = { prompt: 11, completion: 7 }

/** What broke off after these words. */
const broken = (words: string, error: Expected['error'] = within(told.failed)): Expected => ({
  choices: [{ text: words }],
  ...(error === undefined ? {} : { error }),
})

const gemini: readonly Handmade[] = (
  [
    ['unavailable as the first event', [geminiEvent(overloaded)], { error: told.overloaded }],
    [
      'unavailable in the middle',
      [part('So far'), geminiEvent(overloaded)],
      broken('So far', within(told.overloaded)),
    ],
    ['exhausted as the first event, in an array', [geminiEvent([exhausted])], { error: told.rateLimited }],
    ['an end before the reason', [part('So far')], broken('So far')],
    [
      'arguments in pieces, of every type and at every depth',
      [
        callParts({ name: 'set', willContinue: true }),
        argsPiece({ jsonPath: '$.name', stringValue: 'say "', willContinue: true }),
        argsPiece({ jsonPath: '$.name', stringValue: 'h\u00e9 \ud83d\ude42"', willContinue: true }),
        argsPiece({ jsonPath: '$.name', stringValue: '' }),
        argsPiece({ jsonPath: '$.on', boolValue: false }, { jsonPath: '$.none', nullValue: 'NULL_VALUE' }),
        argsPiece({ jsonPath: '$.grid[0][0]', numberValue: 0 }),
        argsPiece({ jsonPath: '$.grid[0][1]', numberValue: -1.5 }),
        argsPiece({ jsonPath: '$.grid[1][0].x', stringValue: '' }),
        callParts({}),
        callParts({ name: 'now', willContinue: true }),
        callParts({}),
        callParts({ name: 'whole', args: { word: 'a' } }),
        geminiEnd,
      ],
      {
        choices: [
          {
            calls: [
              {
                name: 'set',
                arguments: {
                  name: 'say "h\u00e9 \ud83d\ude42"',
                  on: false,
                  none: null,
                  grid: [[0, -1.5], [{ x: '' }]],
                },
              },
              { name: 'now', arguments: {} },
              { name: 'whole', arguments: { word: 'a' } },
            ],
            finish: 'tool_calls',
          },
        ],
        usage: counts,
      },
    ],
  ] as const
).map(([name, events, expected]) => ({
  name: `stream: ${name}`,
  source: 'Vertex AI, streamGenerateContent, streamFunctionCallArguments',
  stream: true,
  sent: sseOf(events),
  expected,
}))

/** An event of Claude. */
function claudeEvent(type: string, data: Json = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
}

const usage = { input_tokens: 5, cache_creation_input_tokens: 2, cache_read_input_tokens: 4 }
const message = {
  id: 'msg_vrtx_handmade',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-20250514',
}
const start = claudeEvent('message_start', {
  message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
})
const open = (index: number, content_block: Json) =>
  claudeEvent('content_block_start', { index, content_block })
const delta = (index: number, of: Json) => claudeEvent('content_block_delta', { index, delta: of })
const close = (index: number) => claudeEvent('content_block_stop', { index })
const words = (text: string) => [open(0, { type: 'text', text: '' }), delta(0, { type: 'text_delta', text })]
const claudeEnd = (stop_reason: string) => [
  claudeEvent('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 7 } }),
  claudeEvent('message_stop'),
]
/** What the service adds to Claude's events: its own count for the bill. */
const billed = claudeEvent('vertex_event', {
  usage: { input_tokens: 5, output_tokens: 1, cache_creation_input_tokens: null, tiers: {} },
})
const ofClaude = (type: string, text: string): Json => ({ type: 'error', error: { type, message: text } })
const claudeFailing = (type: string, text: string) =>
  `event: error\ndata: ${JSON.stringify(ofClaude(type, text))}\n\n`
const claudeCounts = { prompt: 11, completion: 7, cached: 4, cacheWrite: 2 }
const said: Expected = {
  model: claude,
  choices: [
    {
      text: 'Let me see.',
      reasoning: 'A word.',
      details: [
        {
          type: 'reasoning.text',
          text: 'A word.',
          signature: 'c2lnbmVk',
          format: 'anthropic-claude-v1',
          index: 0,
        },
      ],
      calls: [{ id: 'toolu_vrtx_1', name: 'look_up', arguments: { word: 'a' } }],
      finish: 'tool_calls',
    },
  ],
  usage: claudeCounts,
}

const claudeAnswers: readonly Handmade[] = [
  {
    name: 'whole: Claude',
    source: claudeSource,
    stream: false,
    sent: jsonOf({
      ...message,
      content: [
        { type: 'thinking', thinking: 'A word.', signature: 'c2lnbmVk' },
        { type: 'text', text: 'Let me see.' },
        { type: 'tool_use', id: 'toolu_vrtx_1', name: 'look_up', input: { word: 'a' } },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { ...usage, output_tokens: 7 },
    }),
    expected: said,
  },
  {
    name: 'stream: Claude',
    source: `${claudeSource}; vertex_event as users of other clients report it`,
    stream: true,
    sent: sseOf([
      billed,
      start,
      claudeEvent('ping'),
      open(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'A word.' }),
      delta(0, { type: 'signature_delta', signature: 'c2lnbmVk' }),
      close(0),
      open(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text: 'Let me' }),
      billed,
      delta(1, { type: 'text_delta', text: ' see.' }),
      close(1),
      open(2, { type: 'tool_use', id: 'toolu_vrtx_1', name: 'look_up', input: {} }),
      delta(2, { type: 'input_json_delta', partial_json: '' }),
      delta(2, { type: 'input_json_delta', partial_json: '{"word":' }),
      delta(2, { type: 'input_json_delta', partial_json: ' "a"}' }),
      close(2),
      ...claudeEnd('tool_use'),
      billed,
    ]),
    expected: said,
  },
]

const claudeErrors: readonly Handmade[] = (
  [
    ['529 overloaded', 529, ofClaude('overloaded_error', 'Overloaded'), told.overloaded],
    [
      '400 too long',
      400,
      ofClaude('invalid_request_error', 'prompt is too long: 203456 tokens > 200000 maximum'),
      { ...told.tooLong, message: '203456 tokens > 200000 maximum' },
    ],
    [
      '400 invalid',
      400,
      ofClaude('invalid_request_error', 'max_tokens: Field required'),
      { ...told.invalid, message: 'max_tokens: Field required' },
    ],
    [
      '429 of a quota',
      429,
      failure(
        429,
        'RESOURCE_EXHAUSTED',
        'Quota exceeded for online_prediction_requests_per_base_model with base model: anthropic-claude-sonnet-4. Please submit a quota increase request.',
      ),
      told.rateLimited,
    ],
  ] as const
).map(([name, status, body, error]) => ({
  name: `error ${name}, of Claude itself`,
  source: claudeSource,
  sent: jsonOf(body, status),
  expected: { model: claude, error },
}))

const claudeStreams: readonly Handmade[] = (
  [
    [
      'overloaded as the first event',
      [claudeFailing('overloaded_error', 'Overloaded')],
      { error: told.overloaded },
    ],
    [
      'overloaded before the first content',
      [billed, start, claudeFailing('overloaded_error', 'Overloaded')],
      { error: told.overloaded },
    ],
    [
      'overloaded in the middle',
      [start, ...words('So far'), claudeFailing('overloaded_error', 'Overloaded')],
      broken('So far', within(told.overloaded)),
    ],
    [
      "the service's own error in the middle",
      [start, ...words('So far'), `data: ${JSON.stringify(overloaded)}\n\n`],
      broken('So far', within(told.overloaded)),
    ],
    ["the service's own error as the whole body", [JSON.stringify(exhausted)], { error: told.rateLimited }],
    ['an end before the last event', [start, ...words('So far'), close(0)], broken('So far')],
  ] as const
).map(([name, events, expected]) => ({
  name: `stream: ${name}, of Claude`,
  source: claudeSource,
  stream: true,
  sent: sseOf(events),
  expected: { model: claude, ...expected },
}))

export const vertexHandmade: readonly Handmade[] = [
  ...refused,
  ...gemini,
  ...claudeAnswers,
  ...claudeErrors,
  ...claudeStreams,
]
