import type { JsonObject } from '../protocol/chat.ts'

/** A request body that is parsed but not validated yet. */
export interface Draft {
  readonly model: string
  readonly body: JsonObject
  /** Size of the body in bytes. For a body that the host has parsed: the size of its JSON text. */
  readonly bytes: number
}
