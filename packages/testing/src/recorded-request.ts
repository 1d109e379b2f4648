import type { JsonObject } from '@sluice/core/provider'
import type { HeaderPairs } from './headers.ts'

/** A request that an upstream received. */
export interface RecordedRequest {
  /** 0 for the first request of the upstream. */
  readonly index: number
  /** The index of the connection: 0 for the first of the upstream. */
  readonly connection: number
  readonly method: string
  /** The request target, with its query. */
  readonly path: string
  /** The header lines, in their order and spelling. */
  readonly rawHeaders: HeaderPairs
  /** By name in lower case. Values of repeated lines are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** The bytes of the body. Empty if the script is `steps.early`. */
  readonly bytes: Uint8Array
  /** The body as UTF-8 text. */
  readonly body: string
  /** The body as JSON, or `undefined` if it is no JSON object. */
  readonly json: JsonObject | undefined
}

/** The text as a JSON object; undefined where it is none. */
export function jsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
