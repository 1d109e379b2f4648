import {
  betaHeader,
  browserAccessHeader,
  limitHeaderPrefix,
  requestIdHeader,
  sessionHeader,
  versionHeader,
} from './wire-names.ts'

/** The headers that clients of the protocol send from browsers, beside those of all protocols. */
export const messagesRequestHeaders: readonly string[] = [
  versionHeader,
  betaHeader,
  browserAccessHeader,
  'x-app',
  sessionHeader,
  'x-stainless-helper-method',
]

/** The headers of responses that only this protocol has. */
export const messagesResponseHeaders: readonly string[] = [
  requestIdHeader,
  `${limitHeaderPrefix}-requests-limit`,
  `${limitHeaderPrefix}-requests-remaining`,
  `${limitHeaderPrefix}-requests-reset`,
  `${limitHeaderPrefix}-tokens-limit`,
  `${limitHeaderPrefix}-tokens-remaining`,
  `${limitHeaderPrefix}-tokens-reset`,
]
