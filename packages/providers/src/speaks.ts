import { configurationError } from '@sluice/core/adapter'
import type { Provider } from '@sluice/core/provider'

/** A dialect in which requests can be passed on as they came: `messages` is Anthropic's Messages API. */
export type NativeDialect = 'messages'

/** How a provider passes requests on. */
type NativeCodec = Required<Pick<Provider, 'encodeNative' | 'decodeNative'>>

/**
 * Returns the part of a provider that passes requests on. Throws `ConfigurationError` for unknown dialects.
 *
 * @param given - the option `speaks`.
 * @param byDefault - the dialects without the option.
 */
export function nativeDialects(
  given: readonly NativeDialect[] | undefined,
  byDefault: Provider['speaks'],
  codec: NativeCodec,
  owner: string,
): Pick<Provider, 'speaks' | 'encodeNative' | 'decodeNative'> {
  validateSpeaks(given, owner)
  const speaks = given ?? byDefault
  if (speaks === undefined || (typeof speaks !== 'function' && speaks.length === 0)) return {}
  return { speaks, ...codec }
}

function validateSpeaks(given: readonly NativeDialect[] | undefined, owner: string): void {
  if (given === undefined) return
  if (Array.isArray(given) && given.every(name => name === 'messages')) return
  throw configurationError(`${owner}()`, ['speaks'], given, "['messages'], or [] for none")
}
