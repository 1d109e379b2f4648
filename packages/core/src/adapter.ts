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
export { disconnectSourceKey, gatewayResponseKey } from './http/adapter-keys.ts'
export { closest } from './primitives/closest.ts'
export { matchesPattern } from './primitives/matches-pattern.ts'
