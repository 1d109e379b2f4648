import { configurationError } from '@sluice/core/adapter'
import { requestExtensions } from '@sluice/core/provider'
import type { CompatibilityOptions } from './compatibility-options.ts'

type Check = (value: unknown) => boolean

const oneOf = (...values: readonly string[]): readonly [Check, string] => [
  value => typeof value === 'string' && values.includes(value),
  values.map(v => `'${v}'`).join(' or '),
]
const flag: readonly [Check, string] = [value => typeof value === 'boolean', 'true or false']
const word: readonly [Check, string] = [value => typeof value === 'string' && value !== '', 'a word']
const words: readonly [Check, string] = [
  value => Array.isArray(value) && value.every(item => typeof item === 'string'),
  'an array of field names',
]

const checks: {
  readonly [K in Exclude<keyof CompatibilityOptions, 'accepts'>]-?: readonly [Check, string]
} = {
  maxTokensParameter: oneOf('max_tokens', 'max_completion_tokens', 'by-model'),
  streamOptions: flag,
  rename: [
    value =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every(name => typeof name === 'string' && name !== ''),
    'an object from field names to field names',
  ],
  drop: words,
  refuse: words,
  messageNames: flag,
  messageFields: oneOf('any', 'strict'),
  extensions: words,
  reasoningField: word,
  developerRole: oneOf('developer', 'system'),
  requiredToolChoice: word,
  reasoningEfforts: words,
  toolCallIds: oneOf('nine-alphanumerics'),
}

/** Throws `TypeError` for an invalid value of a compatibility option, for `accepts` a `ConfigurationError`. */
export function validateCompatibility(compatibility: CompatibilityOptions, owner: string): void {
  validateAccepts(compatibility.accepts, owner)
  for (const [name, [holds, expected]] of Object.entries(checks)) {
    const value: unknown = compatibility[name as keyof CompatibilityOptions]
    if (value === undefined || holds(value)) continue
    throw new TypeError(`${owner}: got ${name} ${shown(value)}, expected ${expected}.`)
  }
}

function validateAccepts(accepts: CompatibilityOptions['accepts'], owner: string): void {
  if (accepts === undefined) return
  if (!Array.isArray(accepts)) {
    const expected = "an array of request extensions, such as ['video_url']"
    throw configurationError(`${owner}()`, ['accepts'], accepts, expected)
  }
  const index = accepts.findIndex(name => !requestExtensions.includes(name))
  if (index < 0) return
  const expected = `one of ${requestExtensions.join(', ')}`
  throw configurationError(`${owner}()`, ['accepts', index], accepts[index], expected)
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : value === null ? 'null' : typeof value
}
