import type { SelectedFields } from './provider-fields.ts'

/** What to read from a server's answers beyond the protocol. */
export interface AnswerExtras {
  readonly fields: SelectedFields | undefined
  /** Whether the text cites the URLs in `citations` as `[1]`. */
  readonly numberedCitations: boolean
}
