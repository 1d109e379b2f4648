import type { ProcessGroup } from '@sluice/core/store'
import {
  AggregatorRegistry,
  type MetricObjectWithValues,
  type MetricValue,
  type Registry,
  type RegistryContentType,
} from 'prom-client'

type Metrics = readonly MetricObjectWithValues<MetricValue<string>>[]

/** The metrics of all processes of a group. */
interface GroupMetrics {
  /** Returns the sums in the text format. */
  text(): Promise<string>
}

/**
 * Answers for a registry in its group. Counters and histograms of processes that have ended stay in the sums, as they must not go
 * down; gauges of those are gone.
 */
export function groupMetrics(
  group: ProcessGroup,
  topic: string,
  registry: Registry<RegistryContentType>,
): GroupMetrics {
  const mergeEnded = async (answers: readonly unknown[]): Promise<Metrics> => {
    const counted = (answers as readonly Metrics[]).map(metrics =>
      metrics.filter(({ type }) => !isGauge(type)),
    )
    return sumOf(counted).getMetricsAsJSON()
  }
  group.answer(topic, () => registry.getMetricsAsJSON(), mergeEnded)
  return {
    async text() {
      const answers = (await group.ask(topic)) as readonly Metrics[]
      return sumOf(answers, registry.contentType).metrics()
    },
  }
}

/** By its name, or as a number of older versions. */
function isGauge(type: unknown): boolean {
  return type === 'gauge' || type === 1
}

function sumOf(metrics: readonly Metrics[], type?: RegistryContentType): Registry {
  const sum: Registry<RegistryContentType> = AggregatorRegistry.aggregate(metrics as unknown as object[])
  if (type !== undefined) sum.setContentType(type)
  return sum as Registry
}
