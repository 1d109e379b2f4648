import type { RecordedBodies } from '@sluice/core/store'

/** Where bodies of requests are stored: what `createBodyLog` of `@sluice/log` returns. */
export interface ConsoleBodies {
  /** How long bodies are stored, in milliseconds: the page says so of older requests. Absent: not known. */
  readonly retentionMs?: number | undefined
  /** Rejects with an error of the name `BodyKeyError` for bodies that cannot be decrypted. */
  get(requestId: string): Promise<RecordedBodies | undefined>
  /** Returns the body with which a request is sent again. Throws an error of the name `ReplayError` for one that cannot be. */
  replayBody(bodies: RecordedBodies): string
  /** Returns the text of a response. */
  responseText(response: string): string
}
