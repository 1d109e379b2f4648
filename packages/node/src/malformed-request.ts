import { protocolError } from './protocol-error.ts'

/**
 * An error for a request whose head is ambiguous, such as one with two `host` or two `authorization` headers. Two servers could
 * read it in two ways, so it is rejected with 400 before authentication. 501 is for a body in a transfer coding that is not
 * supported.
 */
export class MalformedRequest extends Error {
  readonly status: 400 | 501

  constructor(message: string, status: 400 | 501 = 400) {
    super(message)
    this.status = status
    this.name = 'MalformedRequest'
  }

  /** Returns the response, with the error body of the chat completions API. */
  toResponse(): Response {
    return protocolError(this.status, this.message)
  }
}
