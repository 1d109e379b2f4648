/** What an error of the local provider says: the fields of the protocol's error body, and its status. */
export interface RefusalDetails {
  readonly status: number
  readonly message: string
  readonly type?: string
  readonly code?: string | null
  readonly param?: string | null
  /** In seconds; sent as `retry-after`. */
  readonly retryAfter?: number
}

/** Thrown where the local provider answers with an error instead of a completion. */
export class Refused extends Error {
  readonly details: RefusalDetails

  constructor(details: RefusalDetails) {
    super(details.message)
    this.name = 'Refused'
    this.details = details
  }
}

/** The body of an error (protocol section 4.1): always the four keys. */
export function errorBody({ status, message, type, code, param }: RefusalDetails): string {
  return JSON.stringify({
    error: { message, type: type ?? usualType(status), param: param ?? null, code: code ?? null },
  })
}

function usualType(status: number): string {
  if (status === 429) return 'requests'
  if (status === 503) return 'service_unavailable_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}
