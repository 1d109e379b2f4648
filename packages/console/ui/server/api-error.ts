/** The server said no, or nothing. `message` is for people. */
export class ApiError extends Error {
  /** 0 where there was no answer. */
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

/** The refusal that an answer is: in its own words where it has the protocol's shape. */
export async function toApiError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '')
  return new ApiError(errorIn(text)?.message ?? `The server returned ${response.status}.`, response.status)
}

/** An error of chat completions, or, with a `type` of its own, of the Messages API, which has no codes but types. */
interface ErrorBody {
  readonly type?: unknown
  readonly error?: { readonly message?: unknown; readonly code?: unknown; readonly type?: unknown }
}

/** An error in the protocol's shape, as it is in a body or an event; `undefined` where there is none. */
export function errorIn(text: string): { readonly message: string; readonly code?: string } | undefined {
  try {
    const { error, type }: ErrorBody = JSON.parse(text)
    if (typeof error?.message !== 'string') return undefined
    const code = type === 'error' ? error.type : error.code
    return { message: error.message, ...(typeof code === 'string' ? { code } : {}) }
  } catch {
    return undefined
  }
}
