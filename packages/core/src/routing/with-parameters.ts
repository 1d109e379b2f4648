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
 * Overrides parameters of an entry: `withParameters(a, { temperature: 0, seed: null })`. They replace those of the request and
 * of its targets; `null` removes a parameter. `max_completion_tokens` lowers the maximum of the request, but never raises it.
 *
 * Throws `ConfigurationError` for an invalid entry or parameter.
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
