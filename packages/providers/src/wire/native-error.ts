import {
  type NativeCall,
  type NativeError,
  spliceJson,
  UpstreamError,
  type UpstreamErrorDetails,
  type UpstreamResponse,
} from '@sluice/core/provider'
import { isFields, textOf } from './json-value.ts'

/** Codes of errors that are about the gateway's own account. */
const accountCodes: ReadonlySet<string | null> = new Set(['insufficient_quota', 'invalid_api_key'])

/**
 * Parses an error response, and adds its body where it is an error of the dialect. An error about the gateway's own account
 * has none. The vendor's name of the model becomes the caller's.
 */
export async function withNativeError(
  response: UpstreamResponse,
  call: NativeCall,
  parse: (response: UpstreamResponse) => Promise<UpstreamError>,
  dialect: 'messages' | 'responses' = 'messages',
): Promise<UpstreamError> {
  let body = ''
  const { status, headers, body: bytes } = response
  const read = async () => {
    body = await response.text()
    return body
  }
  const error = await parse({ status, headers, body: bytes, text: read })
  const native = accountCodes.has(error.code) ? undefined : nativeError(status, body, call, dialect)
  if (native === undefined) return error
  const { message, vendorMessage, cause } = error
  return new UpstreamError(message, { ...error, vendorMessage, cause, native } as UpstreamErrorDetails)
}

function nativeError(
  status: number,
  body: string,
  call: NativeCall,
  dialect: 'messages' | 'responses',
): NativeError | undefined {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return undefined
  }
  if (!isFields(value) || (dialect === 'messages' && value.type !== 'error')) return undefined
  const { error } = value
  if (!isFields(error) || textOf(error.type) === undefined) return undefined
  const message = textOf(error.message)
  if (message === undefined) return undefined
  const shown = withPublicModel(message, call)
  const text = shown === message ? body : spliceJson(body, [{ path: ['error', 'message'], value: shown }])
  return { dialect, status, body: text }
}

function withPublicModel(message: string, { model, request }: NativeCall): string {
  if (model === request.model || model === '') return message
  const pattern = model.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return message.replace(new RegExp(`(?<![\\w/.:-])${pattern}(?![\\w/:-])`, 'g'), () => request.model)
}
