import type { JsonObject } from '@sluice/core/provider'
import type { HeaderPairs } from './headers.ts'

/** A request as the upstream got it. */
export interface RecordedRequest {
  /** 0 for the upstream's first request. */
  readonly index: number
  /** The connection it came by: 0 for the upstream's first. */
  readonly connection: number
  readonly method: string
  /** The request target as sent, with its query. */
  readonly path: string
  /** The header lines in their order and spelling. */
  readonly rawHeaders: HeaderPairs
  /** By lower-cased name; repeated lines are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** The body's bytes; empty where the script answers before the body is read. */
  readonly bytes: Uint8Array
  /** The body as UTF-8 text. */
  readonly body: string
  /** The body where it is a JSON object, else undefined. */
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
