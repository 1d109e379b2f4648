import { GatewayError } from '../errors/errors.ts'
import { UpstreamError } from '../errors/upstream-error.ts'

const indexedInput = /\binput\[(\d{1,9})\]/g

/**
 * Returns the error of a part of a request for embeddings with the indices that its inputs have in the request: `input[2]` of a
 * part that begins at 100 is `input[102]`.
 */
export function errorInRequest(error: unknown, from: number): unknown {
  if (from === 0) return error
  const shift = (text: string) => text.replace(indexedInput, (_, index) => `input[${Number(index) + from}]`)
  if (GatewayError.is(error)) {
    const param = error.param === null ? null : shift(error.param)
    const message = shift(error.message)
    if (param === error.param && message === error.message) return error
    return new GatewayError(error.reason, { message, param, headers: error.headers, cause: error })
  }
  if (!UpstreamError.is(error)) return error
  const { kind, status, code, type, retryAfterMs, vendorMessage, message } = error
  const param = error.param === null ? null : shift(error.param)
  const shifted = vendorMessage && shift(vendorMessage)
  if (param === error.param && shifted === vendorMessage) return error
  return new UpstreamError(message, {
    kind,
    code,
    type,
    param,
    cause: error,
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(shifted !== undefined && { vendorMessage: shifted }),
  })
}
