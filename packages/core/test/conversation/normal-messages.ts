import type { Message } from '../../src/protocol/chat.ts'

/** The differences that `chatToTurns` documents between messages and those that come back from their turns. */
export type DocumentedLoss =
  | 'null members'
  | 'absent content'
  | 'empty reasoning'
  | 'odd reasoning details'
  | 'one text of an array'
  | 'empty array'
  | 'refusal of the content'
  | 'assistant without content'

type Fields = Record<string, unknown>

/** Returns messages with the documented losses applied, each reported. */
export function withDocumentedLosses(
  messages: readonly Message[],
  report: (loss: DocumentedLoss) => void,
): readonly Message[] {
  return messages.flatMap(message => {
    const normal = normalMessage({ ...message }, report)
    return normal === undefined ? [] : [normal as unknown as Message]
  })
}

function normalMessage(message: Fields, report: (loss: DocumentedLoss) => void): Fields | undefined {
  const isAssistant = message.role === 'assistant'
  for (const name of ['name', ...(isAssistant ? ['refusal', 'audio', 'function_call'] : [])]) {
    if (message[name] !== null && !(name === 'refusal' && message[name] === '')) continue
    delete message[name]
    report('null members')
  }
  if (isAssistant) normalReasoning(message, report)
  const { content } = message
  if (Array.isArray(content)) message.content = normalContent(message, content, report)
  if (!isAssistant) return message
  if (message.content === undefined) {
    message.content = null
    report('absent content')
  }
  const names = ['refusal', 'audio', 'tool_calls', 'function_call']
  const { reasoning_content: text, reasoning_details: details } = message
  const isEmpty =
    message.content === null &&
    names.every(name => message[name] === undefined || isEmptyArray(message[name])) &&
    typeof text !== 'string' &&
    !(Array.isArray(details) && details.length > 0)
  if (isEmpty) report('assistant without content')
  return isEmpty ? undefined : message
}

function isEmptyArray(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function normalReasoning(message: Fields, report: (loss: DocumentedLoss) => void): void {
  const { reasoning_content: text, reasoning_details: details } = message
  if (text === '' || text === null) {
    delete message.reasoning_content
    report('empty reasoning')
  }
  if (details === null) delete message.reasoning_details
  if (!Array.isArray(details)) return
  const objects = details.filter(
    entry => typeof entry === 'object' && entry !== null && !Array.isArray(entry),
  )
  if (objects.length < details.length) report('odd reasoning details')
  if (details.length === 0) report('empty reasoning')
  if (objects.length === 0) delete message.reasoning_details
  else message.reasoning_details = objects
}

function normalContent(
  message: Fields,
  content: readonly Fields[],
  report: (loss: DocumentedLoss) => void,
): unknown {
  let parts = content
  const refusals = parts.filter(({ type }) => type === 'refusal')
  const last = parts.at(-1)
  const movesRefusal =
    refusals.length === 1 &&
    last?.type === 'refusal' &&
    last.refusal !== '' &&
    message.refusal === undefined &&
    Object.keys(last).length === 2
  if (movesRefusal) {
    message.refusal = last.refusal
    parts = parts.slice(0, -1)
    report('refusal of the content')
  }
  // With refusals in the content too, the member is not the only one.
  else if (refusals.length > 0 && typeof message.refusal === 'string') {
    parts = [...parts, { type: 'refusal', refusal: message.refusal }]
    delete message.refusal
    report('refusal of the content')
  }
  const [only] = parts
  if (only === undefined) {
    report('empty array')
    return message.role === 'assistant' ? null : ''
  }
  const isPlain = parts.length === 1 && only.type === 'text' && Object.keys(only).length === 2
  if (isPlain) report('one text of an array')
  return isPlain ? only.text : parts
}
