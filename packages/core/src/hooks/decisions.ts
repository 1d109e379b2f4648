import type { ChunkDecision, HookRefusal, RequestDecision, ResponseDecision } from '../contracts/hook.ts'
import type { BodyEdit } from '../conversation/body-edit.ts'
import { GatewayError } from '../errors/errors.ts'
import { ownMembers } from '../primitives/own-members.ts'

const maxMessageLength = 1_000
const none = Object.freeze({})

/**
 * Returns the decision of `onRequest`, which is empty for `undefined`.
 *
 * @throws GatewayError if it is a refusal.
 * @throws TypeError if it is invalid.
 */
export function requestDecision(given: unknown): RequestDecision {
  const decision = decisionOf<RequestDecision>(given, 'onRequest', ['refuse', 'edits', 'model', 'tags'])
  const { edits, model, tags } = decision
  if (edits !== undefined) {
    if (!Array.isArray(edits)) throw invalid('edits', 'an array')
    edits.forEach(checkEdit)
  }
  if (model !== undefined && (typeof model !== 'string' || model === ''))
    throw invalid('model', 'the name of a model')
  if (tags !== undefined) {
    const isTags = typeof tags === 'object' && tags !== null
    if (!isTags || !Object.values(tags).every(tag => typeof tag === 'string'))
      throw invalid('tags', 'an object of strings')
  }
  return decision
}

/** Returns the decision of `onResponse`, which is empty for `undefined`. Throws as `requestDecision` does. */
export function responseDecision(given: unknown): ResponseDecision {
  const decision = decisionOf<ResponseDecision>(given, 'onResponse', ['refuse', 'texts', 'retry'])
  const { texts, retry } = decision
  if (retry !== undefined) checkRefusal(retry, 'retry')
  const isText = (each: unknown) => {
    const { choice, text } = (each ?? {}) as { choice?: unknown; text?: unknown }
    return Number.isSafeInteger(choice) && typeof text === 'string'
  }
  if (texts !== undefined && !(Array.isArray(texts) && texts.every(isText))) {
    throw invalid('texts', 'an array of { choice, text }')
  }
  return decision
}

/** Returns the decision of `onChunk` about a text, which is empty for `undefined`. Throws as `requestDecision` does. */
export function chunkDecision(given: unknown, text: string): ChunkDecision {
  const decision = decisionOf<ChunkDecision>(given, 'onChunk', ['refuse', 'replacements'])
  const { replacements } = decision
  if (replacements !== undefined) {
    if (!Array.isArray(replacements)) throw invalid('replacements', 'an array')
    let at = 0
    for (const { start, end, text: replacement } of replacements) {
      const isInOrder =
        Number.isSafeInteger(start) && Number.isSafeInteger(end) && at <= start && start <= end
      if (!isInOrder || end > text.length || typeof replacement !== 'string') {
        throw invalid('replacements', '{ start, end, text } in order, within the text')
      }
      at = end
    }
  }
  return decision
}

/** Returns the error of a refusal. */
export function refusedByPolicy({ message }: HookRefusal): GatewayError {
  return new GatewayError('refused_by_policy', { message })
}

/** Returns a decision with members that exist; throws a refusal. */
function decisionOf<T extends object>(
  given: unknown,
  name: string,
  members: readonly (keyof T & string)[],
): Partial<T> {
  if (given === undefined) return none
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new TypeError(
      `${name} returned ${given === null ? 'null' : typeof given}, expected an object or undefined.`,
    )
  }
  const decision = ownMembers(given) as T
  const unknown = Object.keys(decision).find(member => !members.includes(member as keyof T & string))
  // A misspelled refusal would let everything pass.
  if (unknown !== undefined) {
    throw new TypeError(`${name} returned an unknown member '${unknown}', expected ${members.join(', ')}.`)
  }
  const { refuse } = decision as { readonly refuse?: HookRefusal }
  if (refuse !== undefined) {
    checkRefusal(refuse, 'refuse')
    throw refusedByPolicy(refuse)
  }
  return decision
}

function checkRefusal(refusal: HookRefusal, name: string): void {
  const { message } = (refusal ?? {}) as { message?: unknown }
  if (typeof message !== 'string' || message === '' || message.length > maxMessageLength) {
    throw invalid(name, `{ message } with 1 to ${maxMessageLength} characters`)
  }
}

function checkEdit(edit: BodyEdit): void {
  const path: unknown = (edit as { path?: unknown } | null)?.path
  const isStep = (step: unknown) =>
    typeof step === 'string' || (Number.isSafeInteger(step) && (step as number) >= 0)
  if (!Array.isArray(path) || path.length === 0 || !path.every(isStep)) {
    throw invalid('edits', '{ path, value } with a path of names and indices')
  }
  if (path.length === 1 && (path[0] === 'model' || path[0] === 'stream')) {
    throw invalid('edits', `no edit of ${path[0]}${path[0] === 'model' ? ': return model instead' : ''}`)
  }
}

function invalid(name: string, expected: string): TypeError {
  return new TypeError(`${name} of the decision is invalid, expected ${expected}.`)
}
