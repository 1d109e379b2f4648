import type { Hook, HookContext, HookResponse, ResponseDecision } from '@sluice/core'
import { type ConfigurationIssue, configurationIssue } from '@sluice/core/adapter'
import { checkOptions, commonMembers, type HookOptions, oneOf, rules } from './hook-options.ts'
import { findJson } from './json/json-text.ts'
import { requestedFormat } from './json/requested-format.ts'
import { guardedSchemaCheck, type SchemaCheck, SchemaError, schemaCheck } from './json/schema-check.ts'
import { type JsonObject, objectOf } from './json-value.ts'

export interface RequireJsonOptions extends HookOptions {
  /** JSON Schema (draft 2020-12) that responses must fit. Default: that of the request, if it has one. */
  readonly schema?: Readonly<Record<string, unknown>> | boolean | undefined
  /** Whether the model is called once more after an invalid response that is not streamed. Default: yes. */
  readonly retry?: boolean | undefined
  /** `always` (default): all responses must be JSON. `requested`: those to requests for a JSON format. */
  readonly when?: 'always' | 'requested' | undefined
  /** Returns milliseconds. Default `performance.now`. */
  readonly now?: (() => number) | undefined
}

/**
 * Returns a hook that refuses responses whose text is no JSON, or does not fit a schema. JSON in a code fence is unwrapped. Responses
 * with tool calls pass, and so do refusals of a model. Throws `ConfigurationError` for invalid options.
 *
 * ```ts
 * createGateway({ ..., hooks: [requireJson({ when: 'requested' })] })
 * ```
 */
export function requireJson(options: RequireJsonOptions = {}): Hook {
  checkOptions(
    'requireJson()',
    options,
    {
      schema: { isValid: () => true, expected: 'a JSON Schema' },
      retry: rules.flag,
      when: oneOf('always', 'requested'),
      now: rules.callback,
    },
    schemaIssues(options.schema),
  )
  const { schema, retry = true, when = 'always', now = () => performance.now() } = options
  const own = schema === undefined ? undefined : schemaCheck(schema)
  /** Returns the check of a request; `undefined` if its responses may be anything. */
  const checkFor = (body: JsonObject): SchemaCheck | undefined => {
    const format = requestedFormat(body)
    if (format === undefined && when === 'requested') return undefined
    if (own !== undefined) return own
    return format?.schema === undefined ? () => undefined : guardedSchemaCheck(format.schema, now)
  }
  return {
    ...commonMembers('require-json', options),
    operations: ['generate'],
    // A schema that cannot be checked is refused before anything is spent.
    onRequest({ body }, { state }) {
      try {
        state.check = checkFor(body)
        return undefined
      } catch (error) {
        return { refuse: { message: messageOf(error) } }
      }
    },
    onResponse({ completion, isRetry }, { state, stream }: HookContext) {
      const check = state.check as SchemaCheck | undefined
      if (check === undefined) return undefined
      const { problem, texts, isFinal } = examined(completion, check)
      if (problem === undefined) return texts.length === 0 ? undefined : { texts }
      if (isFinal || !retry || isRetry || stream) return { refuse: { message: problem } }
      return { retry: { message: `${problem} Respond again, with nothing but the JSON.` } }
    },
  }
}

interface Examination {
  readonly problem?: string
  /** Whether another response would change nothing. */
  readonly isFinal?: boolean
  readonly texts: NonNullable<ResponseDecision['texts']>
}

/** Returns what is wrong with a completion, and the texts of choices whose JSON was in a code fence. */
function examined({ choices }: HookResponse['completion'], check: SchemaCheck): Examination {
  const texts: { choice: number; text: string }[] = []
  for (const { index, message } of choices) {
    const { content, refusal, tool_calls: calls, function_call: call } = message
    if (calls?.length || call !== undefined || (!content && refusal)) continue
    const json = findJson(content ?? '')
    if (json === undefined) return { problem: 'The response is not valid JSON.', texts }
    try {
      const path = check(json.value)
      if (path !== undefined)
        return { problem: `The response does not fit the JSON schema at ${path}.`, texts }
    } catch (error) {
      return { problem: messageOf(error), isFinal: true, texts }
    }
    if (json.unwrapped !== undefined) texts.push({ choice: index, text: json.unwrapped })
  }
  return { texts }
}

/** Only the messages of this package, which have nothing of a request. */
function messageOf(error: unknown): string {
  if (!(error instanceof SchemaError)) throw error
  return error.message
}

function schemaIssues(schema: unknown): readonly ConfigurationIssue[] {
  if (schema === undefined) return []
  try {
    if (objectOf(schema) !== undefined || typeof schema === 'boolean') schemaCheck(schema)
    else return [configurationIssue(['schema'], schema, 'a JSON Schema')]
    return []
  } catch (error) {
    return [configurationIssue(['schema'], schema, `a valid JSON Schema (${(error as Error).message})`)]
  }
}
