import type { IntakeLimits, StreamPacing, Timeouts } from '../config.ts'

export const defaultIntake: IntakeLimits = {
  maxBytes: 26_214_400,
  maxDepth: 64,
  maxElements: 100_000,
  maxMembers: 10_000,
  deadlineMs: 30_000,
}
export const defaultTimeouts: Timeouts = {
  policyMs: 1_000,
  connectMs: 5_000,
  firstByteMs: 60_000,
  idleMs: 120_000,
  totalMs: 600_000,
}
export const defaultPacing: StreamPacing = { keepAliveMs: 15_000, holdMs: 250 }
