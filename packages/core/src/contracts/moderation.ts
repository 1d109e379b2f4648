import type { JsonObject } from '../protocol/chat.ts'

/** A validated request to moderate texts or images, in any dialect. It is passed on as it came. */
export interface ModerateRequest {
  /** The name of the caller's dialect: `moderations`. */
  readonly dialect: string
  readonly model: string
  /** The caller's body as it was parsed, in its dialect. Not to be changed. */
  readonly body: JsonObject
  /** The JSON text of the body. */
  readonly text: string
  /** The texts in it. Tokens are estimated by them. */
  readonly inputs: readonly string[]
  /** Number of results that the caller expects. `undefined`: it depends on the vendor. */
  readonly results?: number | undefined
}
