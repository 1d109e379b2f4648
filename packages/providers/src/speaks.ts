import { configurationError } from '@sluice/core/adapter'
import type { Provider } from '@sluice/core/provider'

/** A dialect in which requests can be passed on as they came: Anthropic's `messages`. */
export type NativeDialect = 'messages'

/** A dialect of a server with OpenAI's API in which requests can be passed on: Anthropic's `messages`, OpenAI's `responses`. */
export type CompatibleDialect = NativeDialect | 'responses'

/** How a provider passes requests on. */
export type NativeCodec = Required<Pick<Provider, 'encodeNative' | 'decodeNative'>>

/**
 * Returns the part of a provider that passes requests on. Throws `ConfigurationError` for unknown dialects.
 *
 * @param given - the option `speaks`.
 * @param byDefault - the dialects without the option.
 * @param known - the dialects that the option may name.
 */
export function nativeDialects(
  given: readonly CompatibleDialect[] | undefined,
  byDefault: Provider['speaks'],
  codec: NativeCodec,
  owner: string,
  known: readonly CompatibleDialect[] = ['messages'],
): Pick<Provider, 'speaks' | 'encodeNative' | 'decodeNative'> {
  validateSpeaks(given, known, owner)
  const speaks = given ?? byDefault
  if (speaks === undefined || (typeof speaks !== 'function' && speaks.length === 0)) return {}
  return { speaks, ...codec }
}

function validateSpeaks(
  given: readonly CompatibleDialect[] | undefined,
  known: readonly CompatibleDialect[],
  owner: string,
): void {
  if (given === undefined) return
  if (Array.isArray(given) && given.every(name => known.includes(name))) return
  const names = known.map(name => `'${name}'`).join(', ')
  throw configurationError(`${owner}()`, ['speaks'], given, `[${names}], or [] for none`)
}
