import { decodeChecks } from './provider/decode-checks.ts'
import { encodeChecks } from './provider/encode-checks.ts'
import { failureChecks } from './provider/failure-checks.ts'
import type { ProviderCase } from './provider/provider-case.ts'
import { checkSamples, type ProviderSamples } from './provider/provider-samples.ts'

/**
 * Returns tests of a provider, for any test runner: all that the gateway relies on in `encode` and `decode`.
 *
 * The tests use no network. They decode each sample complete, and split and cut at up to 500 positions. A test rejects if
 * the provider breaks the contract, or takes more than 5000 ms to decode one response. Throws `RangeError` for samples that
 * would test nothing, such as an empty list of streams.
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
