/** Thrown when a request is aborted: its client disconnected, or the gateway was closed. Observers see its `name`. */
export class LifeEnded extends Error {
  constructor(reason: EndReason) {
    super(reason === 'client_disconnected' ? 'The client disconnected.' : 'The gateway was closed.')
    this.name = 'LifeEnded'
    // V8 keeps the captured frames, and with them the request, alive until the stack is read.
    this.stack = `LifeEnded: ${this.message}`
  }
}

/** Cancels the slower call of a hedge. Observers see its `name`. */
export class AnsweredElsewhere extends Error {
  constructor() {
    super('Another target responded first.')
    this.name = 'AnsweredElsewhere'
    // As above.
    this.stack = `AnsweredElsewhere: ${this.message}`
  }
}

/** Why a request was aborted. */
export type EndReason = 'client_disconnected' | 'gateway_closed'
