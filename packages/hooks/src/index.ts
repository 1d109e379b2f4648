export type { HookOptions } from './hook-options.ts'
export { type RedactedPattern, type RedactOptions, redact } from './redact.ts'
export type { RedactedKind } from './redaction/kinds.ts'
export type { PlaceholderForm } from './redaction/placeholders.ts'
