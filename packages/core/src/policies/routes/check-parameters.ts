import type { ParameterOverrides } from '../../provider.ts'
import { overridesFault } from '../../upstream/overridden-input.ts'

/** Throws `TypeError` for parameters that a request could not have, or that are the caller's alone. */
export function checkParameters(parameters: unknown, place: string): void {
  const isObject = typeof parameters === 'object' && parameters !== null && !Array.isArray(parameters)
  const fault = isObject
    ? overridesFault(parameters as ParameterOverrides)
    : "A target's parameters: expected an object, such as { temperature: 0 }."
  if (fault !== undefined) throw new TypeError(`${place}: ${fault}`)
}
