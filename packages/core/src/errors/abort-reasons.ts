const messages: Readonly<Record<EndReason, string>> = {
  client_disconnected: 'The client disconnected.',
  gateway_closed: 'The gateway was closed.',
  part_failed: 'Another part of the request failed.',
}

/**
 * Thrown when a request is aborted: its client disconnected, or the gateway was closed; and when a part of a request is, because
 * another one failed. Observers see its `name`.
 */
export class LifeEnded extends Error {
  constructor(reason: EndReason) {
    super(messages[reason])
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

/** Cancels a call that has not begun: it waited for a slot of its provider, and another target was free. Observers see its `name`. */
export class QueueLeft extends Error {
  constructor() {
    super('All concurrent calls of the provider were in use, and another target was called.')
    this.name = 'QueueLeft'
    // As above.
    this.stack = `QueueLeft: ${this.message}`
  }
}

/** Whether a call was cancelled, and has not failed. */
export function isCutOff(error: unknown): boolean {
  return error instanceof LifeEnded || error instanceof AnsweredElsewhere || error instanceof QueueLeft
}

/** Why a request, or a part of it, was aborted. */
export type EndReason = 'client_disconnected' | 'gateway_closed' | 'part_failed'
