import type { Tracer } from '@opentelemetry/api'
import type { Instruments } from './instruments.ts'
import type { Labels } from './labels.ts'

/** What spans are made with, and by which choices. */
export interface TracedWorld {
  readonly tracer: Tracer
  readonly instruments: () => Instruments
  readonly labels: Labels
  /** Monotonic milliseconds. */
  readonly clock: () => number
  /** Whether a caller's trace is gone on with. */
  readonly incoming: boolean
  /** Whether an upstream is told of the trace, by its provider's name. */
  readonly tells: (provider: string) => boolean
  readonly tags: readonly string[]
  /** Whether a span tells who asked. */
  readonly principal: boolean
  /** Whether spans tell the words. */
  readonly content: boolean
}
