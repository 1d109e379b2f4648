import type { Capabilities, ParameterOverrides, Target } from '../contracts/provider.ts'
import type { OptionPath } from '../errors/configuration-error.ts'
import { ConfigurationError, configurationError } from '../errors/configuration-error.ts'
import { overridesIssue } from '../validation/overridden-input.ts'

import { allowFieldsIssue } from './restricted-fields.ts'

/** Throws `ConfigurationError` for what a target says of its model that cannot be. */
export function checkTarget(target: Target, place: EntryPlace): void {
  const { capabilities, parameters } = target
  const { source, path } = place
  const issue = allowFieldsIssue(target, path)
  if (issue !== undefined) throw new ConfigurationError(source, [issue])
  if (parameters !== undefined) checkParameters(parameters, { source, path: [...path, 'parameters'] })
  if (capabilities === undefined) return
  if (typeof capabilities !== 'object' || capabilities === null) {
    const expected = 'an object, such as { contextTokens: 128_000 }'
    throw configurationError(source, [...path, 'capabilities'], capabilities, expected)
  }
  for (const name of ['contextTokens', 'maxOutputTokens', 'maxChoices'] as const)
    checkCount(capabilities, name, place)
}

function checkCount(
  capabilities: Capabilities,
  name: 'contextTokens' | 'maxOutputTokens' | 'maxChoices',
  { source, path }: EntryPlace,
): void {
  const value: unknown = capabilities[name]
  if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= 1)) return
  throw configurationError(source, [...path, 'capabilities', name], value, 'a whole number from 1')
}

/** Where an entry stands, for errors: the function that got it, and its path there. */
export interface EntryPlace {
  readonly source: string
  readonly path: OptionPath
}

/** Throws `ConfigurationError` for parameters that a request could not have, or that are the caller's alone. */
export function checkParameters(parameters: unknown, { source, path }: EntryPlace): void {
  const issue = overridesIssue(parameters as ParameterOverrides)
  if (issue !== undefined)
    throw new ConfigurationError(source, [{ ...issue, path: [...path, ...issue.path] }])
}
