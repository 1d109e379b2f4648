export type { PrometheusOptions } from './prometheus/options.ts'
export type { PrometheusMetrics } from './prometheus/prometheus.ts'
export { prometheus } from './prometheus/prometheus.ts'
