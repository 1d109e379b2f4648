import type { HookRequest, RequestDecision } from '@sluice/core'

/** A change of the body of a request. */
export type BodyEdit = NonNullable<RequestDecision['edits']>[number]

export type JsonObject = HookRequest['body']
export type JsonValue = Exclude<BodyEdit['value'], undefined>

/** Returns a value as an object; `undefined` if it is none. */
export function objectOf(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined
}
