import { protocolError } from './protocol-error.ts'

/**
 * A request whose head is ambiguous: it names its host or its caller twice, or not at all. It is refused
 * with 400 before anybody asks who is calling, because two readers could read it in two ways. 501 is for a body in a
 * transfer coding that is not supported.
 */
export class MalformedRequest extends Error {
  readonly status: 400 | 501

  constructor(message: string, status: 400 | 501 = 400) {
    super(message)
    this.status = status
    this.name = 'MalformedRequest'
  }

  /** The answer in the protocol's shape. */
  toResponse(): Response {
    return protocolError(this.status, this.message)
  }
}
