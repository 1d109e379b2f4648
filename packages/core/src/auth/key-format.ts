import { configurationError } from '../errors/configuration-error.ts'

/** Longer tokens are refused unseen. */
const maxLength = 4_096

/** RFC 6750 section 2.1: what a bearer token looks like. */
const bearer = /^[\w.~+/-]+=*$/

/**
 * Whether a token may be a key at all: what may not is refused without a digest made or a store asked.
 *
 * Throws `ConfigurationError` for a format that is no regular expression.
 */
export function formatOf(format: RegExp | undefined, store: boolean): (token: string) => boolean {
  if (format !== undefined && !(format instanceof RegExp)) {
    const expected = 'a regular expression, such as /^sk-[0-9A-Za-z]{40}$/'
    throw configurationError('apiKeys()', ['format'], format, expected)
  }
  // One with the flag g or y remembers where it stopped.
  const expected =
    format === undefined ? store && bearer : new RegExp(format.source, format.flags.replace(/[gy]/g, ''))
  return token => token.length <= maxLength && (expected === false || expected.test(token))
}
