import type { Draft } from '../../src/contracts/draft.ts'
import { chatDialect } from '../../src/dialects/chat/dialect.ts'

type Given = Partial<Pick<Draft, 'operation' | 'model' | 'body' | 'bytes'>>

/** The draft of a chat completion, as the gateway makes it of a parsed body. */
export function chatDraft({
  operation = chatDialect.operation,
  model = 'm',
  body = { model },
  bytes = new TextEncoder().encode(JSON.stringify(body)).length,
}: Given = {}): Draft {
  const { name } = chatDialect
  return { dialect: name, operation, model, body, bytes, outline: chatDialect.outline(body, bytes) }
}
