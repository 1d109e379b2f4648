import { ChatGenerateRequest } from '../../src/conversation/chat-generate-request.ts'
import type { ChatRequest, JsonObject } from '../../src/protocol/chat.ts'

/** A validated chat completion, as the gateway passes it on. */
export function chatRequest(input: ChatRequest): ChatGenerateRequest {
  return new ChatGenerateRequest(input, input as unknown as JsonObject)
}
