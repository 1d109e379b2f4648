/**
 * Simulates gateways on a virtual clock: modelled upstreams, stores and clients, a seed that determines everything, and invariants
 * that are checked from outside.
 */
export type { Distribution } from './simulation/distribution.ts'
export { distributionIssue } from './simulation/distribution.ts'
export type {
  BegunCall,
  BegunRequest,
  CallEnd,
  CallRecord,
  ChargedTarget,
  ClaimRecord,
  CrashRecord,
  HistoryListener,
  HistoryRecord,
  LedgerRecord,
  LostRecord,
  RequestEnd,
  RequestRecord,
  SettlementRecord,
  StateRecord,
} from './simulation/history.ts'
export type { Invariant, SimulationEnd, Violation } from './simulation/invariant.ts'
export { allInvariants, type Expectations } from './simulation/invariants/all-invariants.ts'
export type { RetryExpectations } from './simulation/invariants/bounded-retries.ts'
export type { FairnessExpectations } from './simulation/invariants/fair-shares.ts'
export type { ExpectedLimits } from './simulation/invariants/limits-hold.ts'
export type { HerdExpectations } from './simulation/invariants/no-herd.ts'
export {
  type ShrinkableSimulation,
  type ShrunkSimulation,
  type SimulationParts,
  shrinkSimulation,
} from './simulation/shrink.ts'
export { type SimulationResult, simulate } from './simulation/simulate.ts'
export type { Crash } from './simulation/simulated-process.ts'
export type { GatewayEnvironment, SimulationOptions } from './simulation/simulation-options.ts'
export {
  type SimulationReport,
  SimulationSummary,
  type TargetReport,
} from './simulation/simulation-report.ts'
export type { Partition, StoreLink } from './simulation/store-link.ts'
export type { TimeRange } from './simulation/time-range.ts'
export type { Burst, ClientGroup, ClientRetries, RecordedRequest, Traffic } from './simulation/traffic.ts'
export type { FailureKind, Outage, Quota, UpstreamModel } from './simulation/upstream-model.ts'
