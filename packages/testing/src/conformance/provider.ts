import { decodeChecks } from './provider/decode-checks.ts'
import { encodeChecks } from './provider/encode-checks.ts'
import { failureChecks } from './provider/failure-checks.ts'
import type { ProviderCase } from './provider/provider-case.ts'
import { checkSamples, type ProviderSamples } from './provider/provider-samples.ts'

/**
 * Returns the test cases for a provider: what the gateway relies on in `encode` and `decode`.
 *
 * The cases send nothing over a network. They decode the samples as they are, divided and cut at up to 500 places each, so a
 * sample of some kilobytes is enough. Each case rejects where the provider does otherwise, or takes more than 5 seconds for one
 * answer. Throws `RangeError` for samples by which a case would test nothing.
 *
 * @example
 * for (const { name, run } of providerConformance(samples)) it(name, run)
 */
export function providerConformance(samples: ProviderSamples): readonly ProviderCase[] {
  checkSamples(samples)
  return [...encodeChecks, ...decodeChecks, ...failureChecks].map(({ name, check }) => ({
    name,
    run: () => check(samples),
  }))
}
