/**
 * For packages that mount a gateway in a host, or validate options of their own. The contracts may gain optional members
 * in minor versions.
 */
export type {
  DisconnectListener,
  DisconnectSource,
  FetchContext,
  GatewayResponse,
  HostBody,
} from './contracts/host.ts'
export type { MemoryStoreName, ProcessStores, SizeOptions, SlotQueue } from './contracts/process-stores.ts'
export {
  ConfigurationError,
  type ConfigurationIssue,
  configurationError,
  configurationIssue,
  hiddenIssue,
  issueText,
  type OptionPath,
  optionPathText,
  quoted,
  unknownOption,
} from './errors/configuration-error.ts'
export { memoryProcessStores } from './gateway/memory-process-stores.ts'
export { disconnectSourceKey, gatewayResponseKey } from './http/adapter-keys.ts'
export { closest } from './primitives/closest.ts'
export { matchesPattern } from './primitives/matches-pattern.ts'
export { shareProcessStores } from './stores/process-stores.ts'
export { slotQueue } from './upstream/concurrency-slots.ts'
