import type { EncodedRequest } from '../contracts/provider.ts'

/** What a provider encoded, where a transport can be asked for it: else that would fail as if the upstream did. */
export function soundRequest(value: unknown): EncodedRequest {
  if (isRequest(value)) return value
  throw new TypeError('The provider encoded no request: expected { method, url, headers, body }.')
}

function isRequest(value: unknown): value is EncodedRequest {
  if (typeof value !== 'object' || value === null) return false
  const { method, url, headers, body } = value as { readonly [Name in keyof EncodedRequest]: unknown }
  const sendable = body === undefined || typeof body === 'string' || ArrayBuffer.isView(body)
  return isText(method) && isText(url) && typeof headers === 'object' && headers !== null && sendable
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
