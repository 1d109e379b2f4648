import type { Expected } from '../expected.ts'
import type { Handmade } from '../handmade.ts'
import { told, within } from '../told.ts'
import { jsonOf } from './json-of.ts'
import { sseOf } from './sse-of.ts'

const errors = 'Azure OpenAI, REST API reference; Troubleshooting'
const filtering = 'Azure OpenAI, Content filtering'
const streaming = 'Azure OpenAI, Content streaming'

type Json = Record<string, unknown>

/** One event as the vendor frames it. */
function event(data: unknown): string {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

const safe = { filtered: false, severity: 'safe' }
const results = { hate: safe, self_harm: safe, sexual: safe, violence: safe }
const failure = (code: string | null, message: string, of: Json = {}): Json => ({
  error: { code, message, ...of },
})
const promptFiltered = failure(
  'content_filter',
  "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry. To learn more about our content filtering policies please read our documentation: https://go.microsoft.com/fwlink/?linkid=2198766",
  {
    type: null,
    param: 'prompt',
    status: 400,
    innererror: {
      code: 'ResponsibleAIPolicyViolation',
      content_filter_result: { ...results, jailbreak: { filtered: true, detected: true } },
    },
  },
)
const filtered = {
  status: 400,
  code: 'content_filter',
  type: 'invalid_request_error',
  param: 'prompt',
  message: "the prompt triggering Azure OpenAI's content management policy",
}
const limited = (code: string) =>
  failure(
    code,
    'Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-10-21 have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 2 seconds.',
  )

const refused: readonly Handmade[] = (
  [
    ['400 by the filter of prompts', 400, promptFiltered, {}, filtered],
    [
      '429 with both headers',
      429,
      limited('429'),
      { 'retry-after': '60', 'retry-after-ms': '1500' },
      { ...told.rateLimited, retryAfter: '2' },
    ],
    [
      '429 by its name',
      429,
      limited('RateLimitReached'),
      { 'retry-after': '7' },
      { ...told.rateLimited, retryAfter: '7' },
    ],
    ['429 without a wait', 429, limited('429'), {}, told.rateLimited],
    [
      '429 for a day, of which a minute is told',
      429,
      limited('429'),
      { 'retry-after': '86400' },
      { ...told.rateLimited, retryAfter: '60' },
    ],
    [
      '403 by the network',
      403,
      failure('403', 'Access denied due to Virtual Network/Firewall rules.'),
      {},
      told.auth,
    ],
    ['404 of the resource', 404, failure('404', 'Resource not found'), {}, told.notFound],
    [
      '404 of the deployment',
      404,
      failure('DeploymentNotFound', 'The API deployment for this resource does not exist.'),
      {},
      told.notFound,
    ],
    [
      '400 of a deployment that does not chat',
      400,
      failure(
        'OperationNotSupported',
        'The chatCompletion operation does not work with the specified model.',
      ),
      {},
      { ...told.invalid, message: 'The chatCompletion operation does not work with the specified model.' },
    ],
    [
      '400 of a parameter',
      400,
      failure(
        'unsupported_parameter',
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        { type: 'invalid_request_error', param: 'max_tokens' },
      ),
      {},
      {
        ...told.invalid,
        code: 'unsupported_parameter',
        param: 'max_tokens',
        message: "Use 'max_completion_tokens' instead.",
      },
    ],
    [
      '400 too long',
      400,
      failure(
        'context_length_exceeded',
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9011 tokens.",
        { type: 'invalid_request_error', param: 'messages' },
      ),
      {},
      { ...told.tooLong, param: 'messages', message: '8192 tokens' },
    ],
    ['408 timed out', 408, failure('Timeout', 'The operation was timeout.'), {}, told.timeout],
    [
      '500 failed',
      500,
      failure('InternalServerError', 'Backend returned unexpected response.'),
      {},
      told.failed,
    ],
    [
      '503 overloaded',
      503,
      failure('ServiceUnavailable', 'The service is temporarily unable to process your request.'),
      { 'retry-after': '10' },
      { ...told.overloaded, retryAfter: '10' },
    ],
    [
      '401 of the front',
      401,
      { statusCode: 401, message: 'Unauthorized. Access token is missing, invalid or expired.' },
      {},
      told.auth,
    ],
  ] as const
).map(([name, status, body, headers, error]) => ({
  name: `error ${name}`,
  source: status === 400 ? `${errors}; ${filtering}` : errors,
  sent: jsonOf(body, status, headers),
  expected: { error },
}))

const head = {
  id: 'chatcmpl-handmade',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'gpt-4o-2024-08-06',
  system_fingerprint: 'fp_handmade',
}
const chunk = (choice: Json, of: Json = {}) =>
  event({ ...head, choices: [{ index: 0, finish_reason: null, logprobs: null, ...choice }], ...of })
const prompted = event({
  id: '',
  object: '',
  created: 0,
  model: '',
  choices: [],
  prompt_filter_results: [{ prompt_index: 0, content_filter_results: results }],
})
const role = chunk({ delta: { role: 'assistant', content: '', refusal: null }, content_filter_results: {} })
const says = (content: string) => chunk({ delta: { content }, content_filter_results: results })
const ends = (finish_reason: string, of: Json = {}) => chunk({ delta: {}, finish_reason, ...of })
const usage = event({
  ...head,
  choices: [],
  usage: {
    prompt_tokens: 11,
    completion_tokens: 7,
    total_tokens: 18,
    prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 3, audio_tokens: 0 },
  },
})
const done = event('[DONE]')
/** What the asynchronous filter tells of text that has gone out: a choice without a delta, in a chunk without a head. */
const checked = (of: Json = {}) =>
  event({
    id: '',
    object: '',
    created: 0,
    model: '',
    choices: [
      {
        index: 0,
        finish_reason: null,
        content_filter_results: results,
        content_filter_offsets: { check_offset: 6, start_offset: 6, end_offset: 12 },
        ...of,
      },
    ],
  })
const counts = { prompt: 11, completion: 7, cached: 4, reasoning: 3 }

/** What broke off after these words. */
const broken = (words: string, error: Expected['error'] = within(told.failed)): Expected => ({
  choices: [{ text: words }],
  ...(error === undefined ? {} : { error }),
})

const streams: readonly Handmade[] = (
  [
    [
      'a first chunk without a choice',
      [prompted, role, says('So'), says(' far'), ends('stop'), usage, done],
      { choices: [{ text: 'So far', finish: 'stop' }], usage: counts },
    ],
    [
      'what the asynchronous filter tells',
      [prompted, role, says('So'), checked(), says(' far'), ends('stop'), checked(), usage, done],
      { choices: [{ text: 'So far', finish: 'stop' }], usage: counts },
    ],
    [
      'what the asynchronous filter stops',
      [
        prompted,
        role,
        says('So far'),
        checked({
          finish_reason: 'content_filter',
          content_filter_results: { ...results, hate: { filtered: true, severity: 'high' } },
        }),
        done,
      ],
      { choices: [{ text: 'So far', finish: 'content_filter' }], usage: 'estimated' },
    ],
    [
      'a filter that failed',
      [
        prompted,
        role,
        chunk({
          delta: { content: 'So far' },
          content_filter_results: {
            error: { code: 'content_filter_error', message: 'The contents are not filtered' },
          },
        }),
        ends('stop'),
        usage,
        done,
      ],
      { choices: [{ text: 'So far', finish: 'stop' }], usage: counts },
    ],
    ['a limit as the first event', [event(limited('429'))], { error: told.rateLimited }],
    ['a limit after the first chunk', [prompted, event(limited('429'))], { error: told.rateLimited }],
    [
      'a limit in the middle',
      [prompted, role, says('So far'), event(limited('429'))],
      broken('So far', within(told.rateLimited)),
    ],
    [
      'a failure in the middle',
      [prompted, role, says('So far'), event(failure('500', 'The server had an error.'))],
      broken('So far'),
    ],
    ['an end before the reason', [prompted, role, says('So far')], broken('So far')],
    ['an end before the first content', [prompted], { error: told.failed }],
  ] as const
).map(([name, events, expected]) => ({
  name: `stream: ${name}`,
  source: streaming,
  stream: true,
  sent: sseOf(events),
  expected,
}))

const wholes: readonly Handmade[] = [
  {
    name: 'whole: a filter that failed',
    source: filtering,
    stream: false,
    sent: jsonOf({
      ...head,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          logprobs: null,
          message: { role: 'assistant', content: 'So far', refusal: null },
          content_filter_results: {
            error: { code: 'content_filter_error', message: 'The contents are not filtered' },
          },
        },
      ],
      prompt_filter_results: [{ prompt_index: 0, content_filter_results: results }],
      usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
    }),
    expected: {
      choices: [{ text: 'So far', finish: 'stop' }],
      usage: { prompt: 11, completion: 7 },
    },
  },
  {
    name: 'whole: an error in the place of the answer',
    source: errors,
    stream: false,
    sent: jsonOf(limited('429')),
    expected: { error: told.rateLimited },
  },
]

export const azureHandmade: readonly Handmade[] = [...refused, ...streams, ...wholes]
