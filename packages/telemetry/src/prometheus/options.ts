import { ConfigurationError } from '@sluice/core'
import { type ConfigurationIssue, configurationIssue, hiddenIssue } from '@sluice/core/adapter'
import type { ProcessGroup } from '@sluice/core/store'
import type { Registry, RegistryContentType } from 'prom-client'

/** Options of `prometheus()`. */
export interface PrometheusOptions {
  /** The registry of the metrics, such as `register` of `prom-client`. Default: a new one. */
  readonly registry?: Registry<RegistryContentType> | undefined
  /** Prefix of all metric names. Default `sluice_`. */
  readonly prefix?: string | undefined
  /**
   * Tags of callers that become labels of counters: `['team']` adds `tag_team`. Choose tags with few values and without
   * secrets. Default: none.
   */
  readonly tagLabels?: readonly string[] | undefined
  /** The upper bounds of duration histograms, in seconds, ascending. Default: 15 from 0.025 to 600. */
  readonly buckets?: readonly number[] | undefined
  /**
   * How many values a label of names can have, such as tags and rules. Further values are counted as `other`. Models and targets
   * that the route lists do not count and are never `other`: the bound is for names that only a pattern matches, which callers can
   * make up. Default 100.
   */
  readonly maxLabelValues?: number | undefined
  /** Whether to add memory, event loop and garbage collection metrics of the process. Default `false`. */
  readonly defaultMetrics?: boolean | undefined
  /** The path of the endpoint. Default `/metrics`. */
  readonly path?: string | undefined
  /** Bearer token that the endpoint requires. Default: none. */
  readonly token?: string
  /**
   * The processes whose sums the endpoint returns: `workerGroup()` of `@sluice/node`. Default: this process alone. One instance per
   * process and path.
   */
  readonly group?: ProcessGroup | undefined
}

/** Options with their defaults. */
export interface ResolvedPrometheusOptions {
  readonly prefix: string
  readonly tags: readonly TagLabel[]
  readonly buckets: readonly number[]
  readonly maxLabelValues: number
  readonly path: string
  readonly token: string | undefined
  readonly group: ProcessGroup | undefined
}

/** A tag of callers and its label. */
export interface TagLabel {
  readonly tag: string
  readonly label: string
}

const defaultBuckets = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600]

/** Adds the defaults. Throws `ConfigurationError` for invalid options. */
export function resolvePrometheusOptions(given: PrometheusOptions): ResolvedPrometheusOptions {
  const issues: ConfigurationIssue[] = []
  const {
    prefix = 'sluice_',
    buckets = defaultBuckets,
    maxLabelValues = 100,
    path = '/metrics',
    token,
    group,
  } = given
  if (typeof prefix !== 'string' || !/^(?:[a-zA-Z_:][a-zA-Z0-9_:]*)?$/.test(prefix)) {
    issues.push(configurationIssue(['prefix'], prefix, "letters, digits and '_', such as 'sluice_'"))
  }
  if (!isAscending(buckets)) {
    issues.push(
      configurationIssue(['buckets'], buckets, 'one or more numbers above 0, ascending, in seconds'),
    )
  }
  if (!Number.isInteger(maxLabelValues) || maxLabelValues < 1) {
    issues.push(configurationIssue(['maxLabelValues'], maxLabelValues, 'a whole number from 1'))
  }
  if (typeof path !== 'string' || !path.startsWith('/')) {
    issues.push(configurationIssue(['path'], path, "a path such as '/metrics'"))
  }
  if (token !== undefined && (typeof token !== 'string' || token === '')) {
    issues.push(hiddenIssue(['token'], token, 'a string that is not empty'))
  }
  if (group !== undefined && (typeof group?.ask !== 'function' || typeof group.answer !== 'function')) {
    issues.push(hiddenIssue(['group'], group, 'a group of processes, such as workerGroup()'))
  }
  const tags = tagLabels(given.tagLabels ?? [], issues)
  if (issues.length > 0) throw new ConfigurationError('prometheus()', issues)
  return {
    prefix,
    tags,
    buckets: [...buckets],
    maxLabelValues,
    path,
    token,
    group,
  }
}

/** Labels have only letters, digits and `_`: other characters of a tag's name become `_`. */
function tagLabels(tags: readonly string[], issues: ConfigurationIssue[]): readonly TagLabel[] {
  if (!Array.isArray(tags) || tags.some(tag => typeof tag !== 'string' || tag === '')) {
    issues.push(configurationIssue(['tagLabels'], tags, "a list of names of tags, such as ['team']"))
    return []
  }
  const labels = tags.map(tag => ({ tag, label: `tag_${tag.replaceAll(/[^a-zA-Z0-9_]/g, '_')}` }))
  const twice = labels.find(({ label }, at) => labels.findIndex(other => other.label === label) !== at)
  if (twice !== undefined) {
    issues.push({
      path: ['tagLabels'],
      received: `two tags with the label ${twice.label}`,
      expected: 'a label of its own for each tag',
    })
  }
  return labels
}

function isAscending(buckets: readonly number[]): boolean {
  if (!Array.isArray(buckets) || buckets.length === 0) return false
  return buckets.every((bound, at) => Number.isFinite(bound) && bound > (at === 0 ? 0 : buckets[at - 1]!))
}
