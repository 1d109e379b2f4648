import type { JsonObject, JsonValue } from './chat.ts'

/** Returns an own member of a value, or `undefined` if the value is not an object or has no such member. */
export function jsonMember(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined
}

const none: readonly JsonValue[] = Object.freeze([])

/** Returns the items of a value, or none if it is not an array. */
export function jsonItems(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : none
}

/** Returns the own members of a value that are texts; `undefined` if the value is not an object or has none. */
export function textMembers(value: JsonValue | undefined): Readonly<Record<string, string>> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const texts = Object.entries(value as JsonObject).filter(([, each]) => typeof each === 'string')
  return texts.length === 0 ? undefined : (Object.fromEntries(texts) as Record<string, string>)
}
