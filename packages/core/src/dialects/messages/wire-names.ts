/** Names of the protocol that have the name of the vendor that defined it. */

/** The header with the version of the protocol that a client speaks, which is a date. */
export const versionHeader = 'anthropic-version'

/** The header with the features that a client opts into. */
export const betaHeader = 'anthropic-beta'

/** The version from which sampling parameters and some documents are errors. */
export const strictVersion = '2026-10-21'

/** The header in which a coding client names its session. */
export const sessionHeader = 'x-claude-code-session-id'

/** What a coding client's first system block begins with: it is read by the vendor only. */
export const billingLine = 'x-anthropic-billing-header:'

/** What the names of headers that report limits begin with. */
export const limitHeaderPrefix = 'anthropic-ratelimit'

/** The `format` of reasoning with a signature of the protocol's own vendor, in `reasoning_details`. */
export const ownReasoningFormat = 'anthropic-claude-v1'

/** The header with the id of a request. */
export const requestIdHeader = 'request-id'

/** The header by which a client says that it runs in a browser on purpose. */
export const browserAccessHeader = 'anthropic-dangerous-direct-browser-access'
