import { betaHeader, browserHeader, limitHeaderPrefix, sessionHeader, versionHeader } from './wire-names.ts'

/** The headers that clients of the protocol send from browsers, beside those of all protocols. */
export const messagesRequestHeaders: readonly string[] = [
  versionHeader,
  betaHeader,
  browserHeader,
  'x-app',
  sessionHeader,
  'x-stainless-helper-method',
]

/** The headers of responses that only this protocol has. */
export const messagesResponseHeaders: readonly string[] = [
  'request-id',
  ...['requests', 'tokens'].flatMap(kind =>
    ['limit', 'remaining', 'reset'].map(name => `${limitHeaderPrefix}-${kind}-${name}`),
  ),
]
