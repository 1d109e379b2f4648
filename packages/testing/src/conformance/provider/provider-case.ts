import type { ProviderSamples } from './provider-samples.ts'

/** One thing that every provider does. `run` rejects where the provider does otherwise. */
export interface ProviderCase {
  readonly name: string
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
