import type { JsonObject } from '../protocol/chat.ts'
import type { ReceivedText } from '../protocol/received-text.ts'
import type { Operation, Outline } from './outline.ts'

/** The headers of a request, by lowercase name. */
export interface RequestHeaders {
  get(name: string): string | null
}

/** A request whose body is parsed but not validated yet. */
export interface Draft {
  /** The name of the dialect that the caller speaks: `chat`. */
  readonly dialect: string
  readonly operation: Operation
  readonly model: string
  /** The body in the caller's dialect. Read `outline` instead where that has what you need: it holds for every dialect. */
  readonly body: JsonObject
  /** Size of the body in bytes. For a body that the host has parsed: the size of its JSON text. */
  readonly bytes: number
  readonly outline: Outline
  /** The JSON text of the body, for a dialect that passes bodies on. `undefined` if the host has parsed it. */
  readonly text?: string | undefined
  /** What was received, with its bytes: `text`, unless the gateway has changed it. Absent for a short text. */
  readonly received?: ReceivedText | undefined
  /** The headers of the request. */
  readonly headers?: RequestHeaders | undefined
  /** What the gateway has put in front of the caller's own conversation. Absent: nothing. */
  readonly restored?: RestoredState | undefined
  /** Names the target that answered the conversation last, if the gateway has stored its response. */
  readonly lastTarget?: string | undefined
  /** The body as the caller sent it, if a hook has changed it. */
  readonly unhooked?: JsonObject | undefined
  /** Names the hooks that read its response: what they make of it differs from that of others. Absent: none. */
  readonly responseHooks?: readonly string[] | undefined
}

/** How a restored conversation differs from the one that the caller sent. */
export interface RestoredState {
  /** The number of items that precede the caller's own. */
  readonly items: number
  /** Whether the caller sent its own as one text. */
  readonly isText: boolean
}
