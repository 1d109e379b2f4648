import type { JsonObject, JsonValue } from '../protocol/chat.ts'

/** The members that chat completions name in an object: `true`, or those of the object within. */
export interface NamedMembers {
  readonly [name: string]: true | NamedMembers
}

const authored = { role: true, content: true, name: true } as const

/** The members of a message, by its role. */
export const messageMembers = {
  system: authored,
  developer: authored,
  user: authored,
  assistant: { ...authored, refusal: true, audio: true, tool_calls: true, function_call: true },
  tool: { role: true, content: true, tool_call_id: true },
  function: authored,
} as const satisfies Readonly<Record<string, NamedMembers>>

/** The members of a content part or a tool call, by its type, and those of single members of a message. */
export const partMembers = {
  text: { type: true, text: true },
  refusal: { type: true, refusal: true },
  image_url: { type: true, image_url: { url: true, detail: true } },
  input_audio: { type: true, input_audio: { data: true, format: true } },
  file: { type: true, file: { file_id: true, file_data: true, filename: true } },
  function: { id: true, type: true, function: { name: true, arguments: true } },
  custom: { id: true, type: true, custom: { name: true, input: true } },
  function_call: { name: true, arguments: true },
  audio: { id: true },
} as const satisfies Readonly<Record<string, NamedMembers>>

/** Returns the members of an object that are not named; `undefined` if there are none. */
export function extraMembers(value: object, named: NamedMembers): JsonObject | undefined {
  let extra: Record<string, JsonValue> | undefined
  for (const key of Object.keys(value)) {
    // What an object inherits is never `true`.
    if (named[key] === true) continue
    const name = Object.hasOwn(named, key) ? named[key] : undefined
    const member = (value as JsonObject)[key]
    const further = name === undefined ? member : isObject(member) ? extraMembers(member, name) : undefined
    if (further === undefined) continue
    extra ??= {}
    defineMember(extra, key, further)
  }
  return extra
}

/**
 * Adds members that are not named to an object, each at its place. A member that the object has, or that chat completions
 * name, is left as it is: extra members never replace what was validated.
 *
 * @returns the paths of the members that were not added, below the object; `undefined` if there are none.
 */
export function addExtraMembers(
  target: Record<string, unknown>,
  extra: JsonObject,
  named: NamedMembers,
): string[] | undefined {
  let left: string[] | undefined
  for (const key of Object.keys(extra)) {
    const member = extra[key]
    const name = Object.hasOwn(named, key) ? named[key] : undefined
    const own = Object.hasOwn(target, key) ? target[key] : undefined
    if (name === undefined && own === undefined) defineMember(target, key, member)
    else if (typeof name === 'object' && isObject(own) && isObject(member)) {
      const inner = { ...own }
      const innerLeft = addExtraMembers(inner, member, name)
      target[key] = inner
      if (innerLeft === undefined) continue
      left ??= []
      for (const path of innerLeft) left.push(`${key}.${path}`)
    } else {
      left ??= []
      left.push(key)
    }
  }
  return left
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The name may be `__proto__`. */
function defineMember(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}
