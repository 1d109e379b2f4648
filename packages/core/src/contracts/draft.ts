import type { JsonObject } from '../protocol/chat.ts'

/** What the caller sent, as far as it is known before it is validated. */
export interface Draft {
  readonly model: string
  readonly body: JsonObject
  /** Size of the body in bytes; for a body that the host had parsed already, of its JSON text. */
  readonly bytes: number
}
