/** Names of the protocol that have the name of the vendor that defined it. */

/** The format of reasoning that vendors of the protocol have encrypted. */
export const ownReasoningFormat = 'openai-responses-v1'

/** The header in which a coding client names its session. */
export const sessionHeader = 'x-claude-code-session-id'
