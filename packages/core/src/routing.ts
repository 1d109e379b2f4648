/**
 * Routes and conditions: which target answers a request.
 */
export type { Draft } from './contracts/draft.ts'
export type { Operation, Outline, OutlineMedia } from './contracts/outline.ts'
export type { ParameterOverrides, Target } from './contracts/provider.ts'
export type {
  CallTarget,
  ModelCard,
  ReferredBy,
  Refers,
  Route,
  RouteContext,
  RoutedTarget,
} from './contracts/route.ts'
export type { TargetHealth } from './contracts/target-health.ts'
export type { SkipReason } from './contracts/trace.ts'
export { byContextLength } from './routing/by-context-length.ts'
export { type CheapestOptions, cheapest } from './routing/cheapest.ts'
export type { CombinedRoute, ModelEntry, NamesIn } from './routing/combined-route.ts'
export {
  allOf,
  anyOf,
  bodyLargerThan,
  hasMedia,
  hasTag,
  hasTools,
  modelMatches,
  noneOf,
  promptLongerThan,
  type RouteCondition,
  when,
} from './routing/conditions.ts'
export { type FailureSpec, type FallbackOptions, fallback } from './routing/fallback.ts'
export { fastest } from './routing/fastest.ts'
export { type HedgeOptions, hedge } from './routing/hedge.ts'
export { leastBusy } from './routing/least-busy.ts'
export { type MirrorOptions, mirror } from './routing/mirror.ts'
export {
  type ModelEntries,
  type ModelTable,
  models,
  type TableEntry,
  type TargetMaker,
  type WildcardEntry,
} from './routing/models.ts'
export { roundRobin } from './routing/round-robin.ts'
export type { RouteKey } from './routing/route-key.ts'
export { type SplitArms, split } from './routing/split.ts'
export { type StickyEntry, sticky } from './routing/sticky.ts'
export { type WeightedEntry, weighted } from './routing/weighted.ts'
export { type GivenCallOptions, withCallOptions } from './routing/with-call-options.ts'
export { withParameters } from './routing/with-parameters.ts'
export type { InputKind } from './validation/capable-targets.ts'
