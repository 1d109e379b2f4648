import type { ProviderSpecificFields } from '../../contracts/provider.ts'
import type { FinishReason } from '../../protocol/chat.ts'

/** Why an answer ended. */
interface AnswerEnd {
  /** As the vendor told it; `undefined` counts as complete. */
  readonly finish: FinishReason | null | undefined
  /** Whether a tool was called. */
  readonly called: boolean
  /** The text in which the model declined to answer; empty if it did not. */
  readonly refusal: string
  /** What the vendor adds to its choice. */
  readonly fields: ProviderSpecificFields | undefined
  /** The stop sequences of the request. */
  readonly stop: string | readonly string[] | undefined
}

/** The members of a message that say why it ended. */
interface StopFields {
  readonly stop_reason: 'max_tokens' | 'tool_use' | 'end_turn' | 'stop_sequence' | 'refusal'
  readonly stop_sequence: string | null
  readonly stop_details: {
    readonly type: 'refusal'
    readonly category: null
    readonly explanation: string | null
  } | null
}

/** Returns why an answer ended, in the terms of the Messages API. */
export function stopFields({ finish, called, refusal, fields, stop }: AnswerEnd): StopFields {
  if (finish === 'length') return ended('max_tokens')
  if (called) return ended('tool_use')
  if (finish === 'content_filter' || refusal !== '') {
    const explanation = refusal === '' ? null : refusal
    return {
      stop_reason: 'refusal',
      stop_sequence: null,
      stop_details: { type: 'refusal', category: null, explanation },
    }
  }
  const sequence = fields?.stop_sequence ?? fields?.stop_reason
  const sequences: readonly unknown[] = typeof stop === 'string' ? [stop] : (stop ?? [])
  if (typeof sequence !== 'string' || !sequences.includes(sequence)) return ended('end_turn')
  return { ...ended('stop_sequence'), stop_sequence: sequence }
}

function ended(reason: StopFields['stop_reason']): StopFields {
  return { stop_reason: reason, stop_sequence: null, stop_details: null }
}
