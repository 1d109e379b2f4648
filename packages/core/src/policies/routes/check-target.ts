import type { Capabilities, Target } from '../../provider.ts'
import { allowFieldsFault } from '../../restricted-fields.ts'
import { checkParameters } from './check-parameters.ts'

/** Throws `TypeError` for what a target says of its model that cannot be. */
export function checkTarget(target: Target, place: string): void {
  const { capabilities, parameters } = target
  const fault = allowFieldsFault(target)
  if (fault !== undefined) throw new TypeError(`${place}: ${fault}`)
  if (parameters !== undefined) checkParameters(parameters, place)
  if (capabilities === undefined) return
  if (typeof capabilities !== 'object' || capabilities === null) {
    throw new TypeError(
      `${place}: its capabilities are no object: expected such as { contextTokens: 128_000 }.`,
    )
  }
  for (const name of ['contextTokens', 'maxOutputTokens', 'maxChoices'] as const)
    checkCount(capabilities, name, place)
}

function checkCount(
  capabilities: Capabilities,
  name: 'contextTokens' | 'maxOutputTokens' | 'maxChoices',
  place: string,
): void {
  const value: unknown = capabilities[name]
  if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= 1)) return
  throw new TypeError(
    `${place}: capabilities.${name} is ${typeof value === 'string' ? `'${value}'` : String(value)}, expected a whole number from 1.`,
  )
}
