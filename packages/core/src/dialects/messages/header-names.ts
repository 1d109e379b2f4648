/** The headers that clients of the protocol send from browsers, beside those of all protocols. */
export const messagesRequestHeaders: readonly string[] = [
  'anthropic-version',
  'anthropic-beta',
  'anthropic-dangerous-direct-browser-access',
  'x-app',
  'x-claude-code-session-id',
  'x-stainless-helper-method',
]

/** The headers of responses that only this protocol has. */
export const messagesResponseHeaders: readonly string[] = [
  'request-id',
  'anthropic-ratelimit-requests-limit',
  'anthropic-ratelimit-requests-remaining',
  'anthropic-ratelimit-requests-reset',
  'anthropic-ratelimit-tokens-limit',
  'anthropic-ratelimit-tokens-remaining',
  'anthropic-ratelimit-tokens-reset',
]
