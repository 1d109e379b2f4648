/** Thrown where the request's life ended under way. */
export class LifeEnded extends Error {
  constructor(reason: EndReason) {
    super(reason === 'client_disconnected' ? 'The client left.' : 'The gateway was closed.')
    this.name = 'LifeEnded'
    // Until it is read, an engine's stack holds what it went through: here the request, for as long as a record is kept.
    this.stack = `LifeEnded: ${this.message}`
  }
}

/** Why a call was cut off whose answer is not needed any more: the other one of a hedge was sooner. */
export class AnsweredElsewhere extends Error {
  constructor() {
    super('Another target answered sooner.')
    this.name = 'AnsweredElsewhere'
    // As above.
    this.stack = `AnsweredElsewhere: ${this.message}`
  }
}

/** Why a request ended before its answer did. */
export type EndReason = 'client_disconnected' | 'gateway_closed'
