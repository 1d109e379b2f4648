import { countOf, type Fields, isFields, objectsOf, textOf } from './json-value.ts'

/** An error body in one form for all vendors. */
export interface ErrorDetails {
  /** `undefined` if the body has no message. */
  readonly message: string | undefined
  readonly type: string | null
  readonly code: string | null
  readonly param: string | null
  /** The status in the body. */
  readonly status: number | undefined
}

/**
 * Parses an error body of any vendor: `{error: {...}}`, `{error: "..."}`, `[{error}]`, `{detail}` (a string
 * or FastAPI's list), `{message}`, `{errors: [...]}`. Returns `undefined` if the value is not an error.
 */
export function parseErrorDetails(value: unknown): ErrorDetails | undefined {
  const body = Array.isArray(value) ? value.find(isFields) : value
  if (!isFields(body)) return undefined
  if (isFields(body.error)) return ofFields(body.error, body)
  // xAI gives the code beside the text.
  if (textOf(body.error) !== undefined) return ofFields({ message: body.error }, body)
  if (body.detail !== undefined && body.detail !== null) return ofDetail(body.detail, body)
  // Mistral wraps FastAPI's list.
  if (isFields(body.message) || Array.isArray(body.message))
    return parseErrorDetails(isFields(body.message) ? body.message : { detail: body.message })
  const first = objectsOf(body.errors)?.[0]
  if (first !== undefined) return ofFields(first, body)
  return textOf(body.message) === undefined ? undefined : ofFields(body, body)
}

function ofFields(error: Fields, around: Fields): ErrorDetails {
  const code = error.code ?? around.code
  const status =
    statusOf(error.status_code) ??
    statusOf(code) ??
    statusOf(error.status) ??
    statusOf(around.raw_status_code) ??
    statusOf(around.status_code)
  return {
    message: textOf(error.message) ?? textOf(error.msg) ?? textOf(error.detail),
    type: textOf(error.type) ?? textOf(error.status) ?? textOf(error.error_type) ?? null,
    // A code that only repeats the status is ignored.
    code:
      statusOf(code) !== undefined
        ? null
        : (textOf(code) ?? (countOf(code) === undefined ? null : String(code))),
    param: textOf(error.param) ?? null,
    status,
  }
}

function ofDetail(detail: unknown, body: Fields): ErrorDetails | undefined {
  if (typeof detail === 'string') return ofFields({ message: detail }, body)
  if (isFields(detail)) return parseErrorDetails(detail) ?? ofFields(detail, body)
  const faults = objectsOf(detail)
  if (faults === undefined) return undefined
  const message = faults.map(fault => `${pathOf(fault.loc)}: ${textOf(fault.msg) ?? 'invalid'}`).join('; ')
  return {
    message,
    type: 'invalid_request_error',
    code: null,
    param: pathOf(faults[0]?.loc),
    status: undefined,
  }
}

/** FastAPI's location as a path: `["body", "messages", 0, "role"]` is `messages[0].role`. */
function pathOf(location: unknown): string {
  if (!Array.isArray(location)) return 'body'
  const steps = location[0] === 'body' ? location.slice(1) : location
  const path = steps.reduce<string>(
    (path, step) =>
      typeof step === 'number' ? `${path}[${step}]` : path === '' ? `${step}` : `${path}.${step}`,
    '',
  )
  return path === '' ? 'body' : path
}

/** An HTTP error status, as a number or its digits. */
function statusOf(value: unknown): number | undefined {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status < 600
    ? status
    : undefined
}
