import { protocolError } from './protocol-error.ts'

/**
 * A request whose head is ambiguous: it names its host or its caller twice, or not at all. It is refused
 * with 400 before anybody asks who is calling, because two readers could read it in two ways.
 */
export class MalformedRequest extends Error {
  readonly status = 400

  constructor(message: string) {
    super(message)
    this.name = 'MalformedRequest'
  }

  /** The answer: 400 in the protocol's shape. */
  toResponse(): Response {
    return protocolError(400, this.message)
  }
}
