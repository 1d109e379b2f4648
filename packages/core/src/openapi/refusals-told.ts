import { answerReference } from '../dialects/chat/answer-schemas.ts'
import { type Refusal, refusals } from '../errors/errors.ts'
import type { JsonObject } from '../protocol/chat.ts'

/** Those that no operation of the document is answered with: paths and methods that are none, and nobody there. */
const ofNone: readonly Refusal[] = ['unknown_url', 'method_not_supported', 'client_left']

/** Every refusal of a chat completion. */
export const chatRefusals: readonly Refusal[] = (Object.keys(refusals) as Refusal[]).filter(
  name => !ofNone.includes(name),
)

/** The refusals of the list of models. */
export const listRefusals: readonly Refusal[] = [
  'missing_api_key',
  'invalid_api_key',
  'server_error',
  'authentication_unavailable',
  'shutting_down',
]

/** The refusals of one model. */
export const modelRefusals: readonly Refusal[] = [...listRefusals, 'model_not_allowed', 'model_not_found']

/**
 * The answers of the statuses of refusals, with an example of each. `default` stands for what else a function of the
 * service's owner may refuse with.
 */
export function refusalAnswers(
  names: readonly Refusal[],
  headersOf: (status: number) => JsonObject,
): Record<string, JsonObject> {
  const byStatus = new Map<number, Refusal[]>()
  for (const name of names) {
    const status: number = refusals[name][0]
    byStatus.set(status, [...(byStatus.get(status) ?? []), name])
  }
  const answers = Array.from(byStatus, ([status, names]) => [status, answerOf(names, headersOf(status))])
  return {
    ...Object.fromEntries(answers),
    default: {
      description: 'Any other refusal.',
      headers: headersOf(0),
      content: { 'application/json': { schema: answerReference('Error') } },
    },
  }
}

function answerOf(names: readonly Refusal[], headers: JsonObject): JsonObject {
  const examples = Object.fromEntries(names.map(name => [name, { value: bodyOf(name) }]))
  return {
    description: names.map(name => `\`${name}\`: ${refusals[name][3]}`).join('\n\n'),
    headers,
    content: { 'application/json': { schema: answerReference('Error'), examples } },
  }
}

function bodyOf(name: Refusal): JsonObject {
  const [, type, code, message] = refusals[name]
  return { error: { message, type, param: null, code } }
}
