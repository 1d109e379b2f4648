import { GatewayError } from '@sluice/core'
import type { NativeCall } from '@sluice/core/provider'

const version = 'anthropic-version'
const beta = 'anthropic-beta'

/** The version of the API for callers that name none. */
export const defaultVersion = '2023-06-01'

/**
 * Returns the headers of a call to a vendor that speaks the Messages API: those of the provider with the caller's version and
 * betas. The caller's betas stay as they came; the provider's follow, unless the caller has them too.
 *
 * Throws `GatewayError` (400) for values that no header can carry.
 *
 * @param own - the headers of the provider, with names in lower case.
 */
export function nativeHeaders(
  call: NativeCall,
  own: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const versions = callerHeader(call, version)
  const betas = joinedBetas(callerHeader(call, beta), own[beta])
  return {
    ...plainHeaders(call),
    [version]: defaultVersion,
    ...own,
    ...(versions === undefined ? {} : { [version]: versions }),
    ...(betas === undefined ? {} : { [beta]: betas }),
  }
}

/** Returns the headers that every call has. */
export function plainHeaders({ request }: NativeCall): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/json',
    accept: request.stream ? 'text/event-stream' : 'application/json',
    'accept-encoding': 'identity',
  }
}

/** Returns the names of the betas that the caller sent, in order. */
export function callerBetas(call: NativeCall): readonly string[] {
  return namesIn(callerHeader(call, beta) ?? '')
}

function callerHeader({ headers }: NativeCall, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined
  if (value === undefined || value.trim() === '') return undefined
  if (/^[\t\x20-\x7e]*$/.test(value)) return value
  const message = `Invalid header '${name}': expected characters of ASCII only.`
  throw new GatewayError('invalid_value', { message, param: name })
}

function joinedBetas(given: string | undefined, own: string | undefined): string | undefined {
  if (given === undefined || own === undefined) return given ?? own
  const names = new Set(namesIn(given))
  const missing = namesIn(own).filter(name => !names.has(name))
  return [given, ...missing].join(',')
}

function namesIn(value: string): readonly string[] {
  return value
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
}
