import type { Counter, Histogram, Meter } from '@opentelemetry/api'
import { metricNames as names } from './names.ts'

/** The instruments. Times are in seconds. */
export interface Instruments {
  readonly tokenUsage: Histogram
  readonly operationDuration: Histogram
  readonly timeToFirstChunk: Histogram
  readonly requestDuration: Histogram
  readonly timeToFirstToken: Histogram
  readonly timePerOutputToken: Histogram
  /** US dollars. */
  readonly cost: Counter
  readonly unpriced: Counter
}

// The boundaries are those that the conventions advise.
const durations = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const firstTokens = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const perToken = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5]
const tokens = Array.from({ length: 14 }, (_, power) => 4 ** power)

/** The instruments of one meter. */
export function instruments(meter: Meter): Instruments {
  const histogram = (name: string, unit: string, explicitBucketBoundaries: number[], description: string) =>
    meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries } })
  return {
    tokenUsage: histogram(
      names.clientTokenUsage,
      '{token}',
      tokens,
      'Number of input and output tokens used.',
    ),
    operationDuration: histogram(
      names.clientOperationDuration,
      's',
      durations,
      'Duration of an upstream call.',
    ),
    timeToFirstChunk: histogram(
      names.clientTimeToFirstChunk,
      's',
      firstTokens,
      'Time from an upstream call to the first content of its stream.',
    ),
    requestDuration: histogram(names.serverRequestDuration, 's', durations, 'Duration of a request.'),
    timeToFirstToken: histogram(
      names.serverTimeToFirstToken,
      's',
      firstTokens,
      'Time from a request to the first byte of its stream, for completed responses.',
    ),
    timePerOutputToken: histogram(
      names.serverTimePerOutputToken,
      's',
      perToken,
      'Time for each token of a stream after the first, for completed responses.',
    ),
    cost: meter.createCounter(names.cost, {
      unit: '{USD}',
      description: 'Cost of upstream calls, in US dollars.',
    }),
    unpriced: meter.createCounter(names.unpriced, {
      unit: '{request}',
      description: 'Calls that used tokens and whose price is unknown.',
    }),
  }
}
