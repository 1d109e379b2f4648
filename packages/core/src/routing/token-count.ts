import { configurationError } from '../errors/configuration-error.ts'

/** A count of tokens. Throws `ConfigurationError` for what is none. */
export function checkTokens(owner: string, name: string, value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) >= 1) return value as number
  throw configurationError(owner, [name], value, 'a whole number from 1')
}
