import type { ProviderSamples } from './provider-samples.ts'

/** One test of `providerConformance`, for any test runner. */
export interface ProviderCase {
  readonly name: string
  /** Rejects if the provider breaks the contract. */
  run(): Promise<void>
}

/** A case that is not bound to a provider yet. */
export interface ProviderCheck {
  readonly name: string
  readonly check: (samples: ProviderSamples) => Promise<void>
}

/** How a sample is named where a case fails. */
export function sampleName(kind: 'completions' | 'streams' | 'errors', index: number, name?: string): string {
  return name === undefined ? `${kind}[${index}]` : `${kind}[${index}] (${name})`
}
