import type { IntakeLimits } from '../http/intake-limits.ts'
import type { Timeouts } from '../upstream/deadlines.ts'
import type { BreakerOptions, RetryOptions } from '../upstream/health/health-options.ts'
import type { AbandonedCallOptions } from '../usage/abandoned-calls.ts'
import type { StreamPacing } from './config.ts'

export const defaultIntake: IntakeLimits = {
  maxBytes: 26_214_400,
  maxDepth: 64,
  maxElements: 100_000,
  maxMembers: 10_000,
  deadlineMs: 30_000,
  minBytesPerSecond: 256,
  minRateGraceMs: 5_000,
  maxUploads: 4,
  uploadGraceMs: 1_000,
  maxUploadBytes: 67_108_864,
  maxTotalUploadBytes: 536_870_912,
}
export const defaultTimeouts: Timeouts = {
  policyMs: 1_000,
  connectMs: 5_000,
  firstByteMs: 60_000,
  responseMs: 600_000,
  idleMs: 120_000,
  totalMs: 600_000,
}
export const defaultPacing: StreamPacing = { keepAliveMs: 15_000, holdMs: 250 }
export const defaultAbandonedCalls: AbandonedCallOptions = {
  charge: 'reservation',
  outputTokensPerSecond: 100,
  maxOutputTokens: 4_096,
}
export const defaultRetry: RetryOptions = {
  baseMs: 250,
  maxMs: 8_000,
  maxRetryAfterMs: 10_000,
  budget: 0.2,
  minBudget: 3,
}
export const defaultBreaker: BreakerOptions = {
  failures: 5,
  errorRate: 0.5,
  minCalls: 20,
  windowMs: 30_000,
  openMs: 30_000,
  maxOpenMs: 300_000,
}
