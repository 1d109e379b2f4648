/** One event of a server-sent event stream (WHATWG HTML, section 9.2). */
export interface SseEvent {
  /** The event's name; `message` where none was given. */
  readonly event: string
  readonly data: string
}
