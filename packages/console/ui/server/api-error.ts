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

/** An error in the protocol's shape, as it is in a body or an event; `undefined` where there is none. */
export function errorIn(text: string): { readonly message: string; readonly code?: string } | undefined {
  try {
    const { error }: { error?: { message?: unknown; code?: unknown } } = JSON.parse(text)
    if (typeof error?.message !== 'string') return undefined
    return { message: error.message, ...(typeof error.code === 'string' ? { code: error.code } : {}) }
  } catch {
    return undefined
  }
}
