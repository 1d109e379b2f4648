import type { ParameterOverrides } from '../contracts/provider.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { overridesIssue } from '../validation/overridden-input.ts'
import type { EntryPlace } from './parts.ts'

/** Throws `ConfigurationError` for parameters that a request could not have, or that are the caller's alone. */
export function checkParameters(parameters: unknown, { source, path }: EntryPlace): void {
  const issue = overridesIssue(parameters as ParameterOverrides)
  if (issue !== undefined)
    throw new ConfigurationError(source, [{ ...issue, path: [...path, ...issue.path] }])
}
