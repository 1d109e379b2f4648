import fc from 'fast-check'
import { marked } from './marked.ts'
import { messages } from './message-arbitrary.ts'
import { jsonValue, oddText } from './odd-text.ts'
import { withSome } from './seldom.ts'
import { objectSchema, tools } from './tool-arbitrary.ts'

type Body = Record<string, unknown>

const schemaFormat = fc
  .record(
    {
      name: fc.stringMatching(/^[a-z]{1,8}$/),
      schema: objectSchema,
      description: oddText,
      strict: fc.boolean(),
    },
    { requiredKeys: ['name'], noNullPrototype: true },
  )
  .map(json_schema => ({ type: 'json_schema', json_schema }))

/** Parameters, each of which some vendor lacks. */
const parameters: Record<string, fc.Arbitrary<unknown>> = {
  temperature: fc.constantFrom(0, 0.5, 1, 1.5, 2),
  top_p: fc.constantFrom(0, 0.5, 1),
  max_tokens: fc.constantFrom(0, 1, 100, 5_000, 1_000_000),
  max_completion_tokens: fc.constantFrom(1, 100, 50_000),
  n: fc.constantFrom(1, 2, 8),
  stream: fc.boolean(),
  stream_options: fc.constantFrom({}, { include_usage: true }, { include_obfuscation: false }),
  stop: fc.oneof(oddText, fc.array(oddText, { minLength: 1, maxLength: 4 })),
  presence_penalty: fc.constantFrom(-2, 0, 0.5, 2),
  frequency_penalty: fc.constantFrom(-2, 0, 0.5, 2),
  logit_bias: fc.constantFrom({}, { '50256': -100 }),
  logprobs: fc.boolean(),
  top_logprobs: fc.constantFrom(0, 5, 20),
  seed: fc.constantFrom(0, 7, -1, 2 ** 40),
  response_format: fc.oneof(fc.constantFrom({ type: 'text' }, { type: 'json_object' }), schemaFormat),
  parallel_tool_calls: fc.boolean(),
  functions: fc.constant([{ name: 'old' }]),
  function_call: fc.constantFrom('auto', { name: 'old' }),
  reasoning_effort: fc.constantFrom('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'),
  verbosity: fc.constantFrom('low', 'high'),
  service_tier: fc.constantFrom('auto', 'default', 'flex', 'scale', 'priority', 'fast'),
  metadata: fc.constantFrom({}, { trace: 'abc' }, { 'Odd Key': 'É' }),
  store: fc.boolean(),
  user: oddText,
  safety_identifier: oddText,
  prompt_cache_key: oddText,
  prompt_cache_retention: fc.constantFrom('in_memory', '24h'),
  prompt_cache_options: fc.constant({ mode: 'explicit' }),
  modalities: fc.constantFrom(['text'], ['text', 'audio'], []),
  audio: fc.constant({ voice: 'ash', format: 'wav' }),
  prediction: fc.constant({ type: 'content', content: 'x' }),
  web_search_options: fc.constant({}),
  moderation: fc.constant({ model: 'm' }),
  x_unknown: jsonValue,
  top_k: fc.constantFrom(0, 40),
  thinking: fc.constantFrom({ type: 'disabled' }, { type: 'enabled', budget_tokens: 2_000 }),
}

/** What nearly all refuse comes seldom, or nothing else would be seen. */
const some = withSome({}, parameters, name =>
  /^(?:n$|logp|logit|top_log|func|modal|audio|web|mod)/.test(name) ? 40 : 10,
)

/** Ways to choose among tools of these names. */
function choiceOf(names: readonly string[]): fc.Arbitrary<unknown> {
  const named = fc.constantFrom('f', ...names).map(name => ({ type: 'function', function: { name } }))
  const allowed = fc
    .tuple(
      fc.constantFrom('auto', 'required'),
      fc.subarray([...names], { minLength: Math.min(1, names.length) }),
    )
    .map(([mode, list]) => ({
      type: 'allowed_tools',
      allowed_tools: { mode, tools: list.map(name => ({ type: 'function', function: { name } })) },
    }))
  return fc.oneof(fc.constantFrom('none', 'auto', 'required'), named, allowed)
}

const toolFields = tools.chain(list => {
  const names = list.flatMap(tool => (tool as { function?: { name: string } }).function?.name ?? [])
  return fc.option(choiceOf(names), { freq: 2, nil: undefined }).map(choice => ({
    ...(list.length === 0 ? {} : { tools: list }),
    ...(choice === undefined || list.length === 0 ? {} : { tool_choice: choice }),
  }))
})

/** Bodies of requests, nearly all of them valid; every text in them has a number of its own. */
export const requestBody: fc.Arbitrary<Body> = fc
  .tuple(
    messages,
    some,
    fc.oneof({ weight: 1, arbitrary: fc.constant({}) }, { weight: 2, arbitrary: toolFields }),
  )
  .map(([list, fields, choice]) => marked({ model: 'm', messages: list, ...fields, ...choice }))
