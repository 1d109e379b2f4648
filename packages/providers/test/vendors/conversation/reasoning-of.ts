import type OpenAI from 'openai'

/** What a message of the assistant carries beyond the protocol. */
interface Extended {
  readonly reasoning_content?: string
  readonly reasoning_details?: readonly { readonly signature?: string; readonly data?: string }[]
  readonly tool_calls?: readonly {
    readonly extra_content?: { readonly google?: { readonly thought_signature?: string } }
  }[]
}

/** The reasoning that came with a message, and what has to go back with it. */
export function reasoningOf(message: OpenAI.ChatCompletionMessage): {
  readonly text: string | undefined
  readonly signatures: readonly string[]
} {
  const {
    reasoning_content: text,
    reasoning_details: details = [],
    tool_calls: calls = [],
  } = message as Extended
  return {
    text,
    signatures: [
      ...details.flatMap(({ signature, data }) => signature ?? data ?? []),
      ...calls.flatMap(call => call.extra_content?.google?.thought_signature ?? []),
    ],
  }
}
