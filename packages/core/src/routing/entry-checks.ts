import type { Operation } from '../contracts/outline.ts'
import type { Capabilities, ParameterOverrides, Target } from '../contracts/provider.ts'
import {
  ConfigurationError,
  configurationError,
  hiddenIssue,
  type OptionPath,
  unknownOption,
} from '../errors/configuration-error.ts'
import { memberOf } from '../primitives/own-members.ts'
import { allOperations } from '../usage/operations.ts'
import { acceptsIssue } from '../validation/accepting-targets.ts'
import { isTarget } from '../validation/is-target.ts'
import { overridesIssue } from '../validation/overridden-settings.ts'
import { areProviderKeys, expectedKeys } from '../validation/provider-keys.ts'
import { allowFieldsIssue } from './restricted-fields.ts'

/** Throws `ConfigurationError` for a target with invalid capabilities, parameters, `allowFields`, `accepts` or provider keys. */
export function checkTarget(target: Target, at: EntryPath): void {
  const { capabilities, parameters, provider, embeddingSpace } = target
  const { source, path } = at
  const issue =
    allowFieldsIssue(target, path) ??
    acceptsIssue(memberOf(provider, 'accepts'), [...path, 'provider', 'accepts'])
  if (issue !== undefined) throw new ConfigurationError(source, [issue])
  const keys = memberOf(provider, 'keys')
  if (keys !== undefined && !areProviderKeys(keys))
    throw new ConfigurationError(source, [hiddenIssue([...path, 'provider', 'keys'], keys, expectedKeys)])
  if (parameters !== undefined) checkParameters(parameters, { source, path: [...path, 'parameters'] })
  if (embeddingSpace !== undefined && !isName(embeddingSpace)) {
    const expected = 'a name of 1 to 200 characters, such as acme-embed-3'
    throw configurationError(source, [...path, 'embeddingSpace'], embeddingSpace, expected)
  }
  if (capabilities === undefined) return
  if (typeof capabilities !== 'object' || capabilities === null) {
    const expected = 'an object, such as { contextTokens: 128_000 }'
    throw configurationError(source, [...path, 'capabilities'], capabilities, expected)
  }
  for (const name of ['contextTokens', 'maxOutputTokens', 'maxChoices'] as const)
    checkCount(capabilities, name, at)
  const { operations } = capabilities
  if (operations === undefined || (Array.isArray(operations) && operations.every(isOperation))) return
  const expected = `an array of ${allOperations.map(each => `'${each}'`).join(', ')}`
  throw configurationError(source, [...path, 'capabilities', 'operations'], operations, expected)
}

function isOperation(value: unknown): value is Operation {
  return allOperations.includes(value as Operation)
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && /^\S(.{0,198}\S)?$/.test(value)
}

function checkCount(
  capabilities: Capabilities,
  name: 'contextTokens' | 'maxOutputTokens' | 'maxChoices',
  { source, path }: EntryPath,
): void {
  const value: unknown = capabilities[name]
  if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= 1)) return
  throw configurationError(source, [...path, 'capabilities', name], value, 'a whole number from 1')
}

/** The location of an entry, for errors: the function that received it, and its path in the arguments. */
export interface EntryPath {
  readonly source: string
  readonly path: OptionPath
}

/** Throws `ConfigurationError` for invalid parameters, and for those that a target cannot override. */
export function checkParameters(parameters: unknown, { source, path }: EntryPath): void {
  const issue = overridesIssue(parameters as ParameterOverrides)
  if (issue !== undefined)
    throw new ConfigurationError(source, [{ ...issue, path: [...path, ...issue.path] }])
}

/**
 * Returns valid weights. Throws `ConfigurationError` for invalid ones.
 *
 * @param pathOf - returns the path of a weight by the index of its entry.
 */
export function checkWeights(
  owner: string,
  weights: readonly unknown[],
  pathOf: (at: number) => OptionPath,
): readonly number[] {
  for (const [at, weight] of weights.entries()) {
    if (typeof weight === 'number' && Number.isFinite(weight) && weight >= 0) continue
    throw configurationError(owner, pathOf(at), weight, 'a number from 0')
  }
  if (weights.every(weight => weight === 0)) {
    throw configurationError(owner, pathOf(0), 0, 'a weight above 0 for at least one entry')
  }
  return weights as readonly number[]
}

/** Returns a number of tokens or bytes. Throws `ConfigurationError` unless it is an integer of at least 1. */
export function checkTokens(owner: string, name: string, value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) >= 1) return value as number
  throw configurationError(owner, [name], value, 'a whole number from 1')
}

/** Splits arguments into entries and trailing options. Throws `ConfigurationError` for an unknown option. */
export function withOptions<Options extends object>(
  owner: string,
  given: readonly unknown[],
  known: readonly (keyof Options & string)[],
): readonly [entries: readonly unknown[], options: Options | undefined] {
  const last = given.at(-1)
  if (typeof last !== 'object' || last === null || Array.isArray(last) || looksLikeTarget(last)) {
    return [given, undefined]
  }
  const unknown = Object.keys(last).find(name => !(known as readonly string[]).includes(name))
  if (unknown !== undefined) {
    throw new ConfigurationError(owner, [unknownOption([unknown], Reflect.get(last, unknown), known)])
  }
  return [given.slice(0, -1), last as Options]
}

/** Also true for an invalid target, so that it is reported as such. */
function looksLikeTarget(value: object): boolean {
  return isTarget(value) || 'provider' in value || 'model' in value
}
