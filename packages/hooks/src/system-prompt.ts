import type { Hook, HookContext, RequestDecision } from '@sluice/core'
import { checkOptions, commonMembers, type HookOptions, oneOf } from './hook-options.ts'
import { type BodyEdit, type JsonObject, type JsonValue, objectOf } from './json-value.ts'

export interface SystemPromptOptions extends HookOptions {
  /** Whether the text is `before` (default) or `after` the system text of the request. */
  readonly position?: 'before' | 'after' | undefined
}

/** A text, or a function that returns one for a request; `undefined` or an empty text adds nothing. */
export type SystemPromptText =
  | string
  | ((context: HookContext) => string | undefined | Promise<string | undefined>)

/**
 * Returns a hook that adds a system text to each request for an answer: a message in `messages`, or a part of `system` or
 * `instructions`. What the caller wrote stays. Throws `ConfigurationError` for invalid options.
 *
 * ```ts
 * createGateway({ ..., hooks: [systemPrompt('Answer in English.')] })
 * ```
 */
export function systemPrompt(text: SystemPromptText, options: SystemPromptOptions = {}): Hook {
  if (typeof text !== 'function' && (typeof text !== 'string' || text === '')) {
    throw new TypeError('systemPrompt() needs a text, or a function that returns one.')
  }
  checkOptions('systemPrompt()', options, { position: oneOf('before', 'after') })
  const { position = 'before' } = options
  return {
    ...commonMembers('system-prompt', options),
    operations: ['generate', 'countTokens'],
    onRequest({ body }, context) {
      const edit = (added: unknown): RequestDecision | undefined => {
        if (added === undefined || added === '') return undefined
        if (typeof added !== 'string') throw new TypeError('The function of systemPrompt() returned no text.')
        const edited = editors[context.dialect]?.(body, added, position)
        return edited && { edits: [edited] }
      }
      if (typeof text === 'string') return edit(text)
      const added = text(context)
      return added instanceof Promise ? added.then(edit) : edit(added)
    },
  }
}

type Position = 'before' | 'after'

/** How a system text is added in each protocol; `undefined` for a body that is invalid, which the gateway refuses. */
const editors: Readonly<
  Record<string, (body: JsonObject, text: string, position: Position) => BodyEdit | undefined>
> = {
  chat: addMessage,
  messages: (body, text, position) => {
    const { system } = body
    const value = Array.isArray(system)
      ? joined(system as readonly JsonValue[], { type: 'text', text }, position)
      : joinedText(system, text, position)
    return value === undefined ? undefined : { path: ['system'], value }
  },
  responses: (body, text, position) => {
    const { instructions } = body
    const value = joinedText(instructions === null ? undefined : instructions, text, position)
    return value === undefined ? undefined : { path: ['instructions'], value }
  },
}

/** Adds a message before the first one, or after the system messages with which a conversation begins. */
function addMessage({ messages }: JsonObject, text: string, position: Position): BodyEdit | undefined {
  if (!Array.isArray(messages)) return undefined
  const given = messages as readonly JsonValue[]
  const isSystem = (message: JsonValue | undefined) =>
    objectOf(message)?.role === 'system' || objectOf(message)?.role === 'developer'
  const end = given.findIndex(message => !isSystem(message))
  const count = end === -1 ? given.length : end
  // No model accepts both roles.
  const role = given.some(message => objectOf(message)?.role === 'developer') ? 'developer' : 'system'
  const at = position === 'before' ? 0 : count
  const added = { role, content: text }
  return { path: ['messages'], value: [...given.slice(0, at), added, ...given.slice(at)] }
}

function joinedText(given: JsonValue | undefined, text: string, position: Position): string | undefined {
  if (given === undefined || given === '') return text
  if (typeof given !== 'string') return undefined
  return joined([given], text, position).join('\n\n')
}

function joined<T>(given: readonly T[], added: T, position: Position): readonly T[] {
  return position === 'before' ? [added, ...given] : [...given, added]
}
