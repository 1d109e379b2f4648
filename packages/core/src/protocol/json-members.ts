import type { JsonObject, JsonValue } from './chat.ts'

/** A member of what may be an object; `undefined` where it is none, or has no such member of its own. */
export function jsonMember(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined
}

const none: readonly JsonValue[] = Object.freeze([])

/** The items of what may be a list. */
export function jsonItems(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : none
}
