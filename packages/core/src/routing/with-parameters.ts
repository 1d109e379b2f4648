import type { ParameterOverrides } from '../contracts/provider.ts'
import {
  type CombinedRoute,
  combinedRoute,
  linkRoute,
  type ModelEntry,
  type NamesIn,
} from './combined-route.ts'
import { checkParameters } from './entry-checks.ts'
import { mappedStep } from './linked-route.ts'

/**
 * The entry, asked with parameters of its own: `withParameters(a, { temperature: 0, seed: null })`. They stand in the
 * place of the caller's, and of those that its places have; `null` leaves a field out. `max_completion_tokens` lowers the
 * caller's bound, and never raises it.
 *
 * Throws `TypeError` for what is no entry, and for parameters that a request could not have.
 */
export function withParameters<const Entry extends ModelEntry>(
  entry: Entry,
  parameters: ParameterOverrides,
): CombinedRoute<NamesIn<Entry>> {
  checkParameters(parameters, { source: 'withParameters()', path: ['parameters'] })
  const own = { ...parameters }
  return combinedRoute([linkRoute(entry, { source: 'withParameters()', path: ['entry'] })], ([step]) =>
    mappedStep(step!, candidates =>
      candidates.map(candidate => ({ ...candidate, parameters: { ...candidate.parameters, ...own } })),
    ),
  )
}
