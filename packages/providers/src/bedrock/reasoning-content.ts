import { base64Of } from '../conversation/data-url.ts'
import type { ReasoningBlock } from '../conversation/reasoning-blocks.ts'
import type { BedrockModel } from './models.ts'
import type { Block } from './user-content.ts'

/** A block of an earlier answer's reasoning as Converse takes it back. */
export function reasoningContent(block: ReasoningBlock, model: BedrockModel): Block {
  return {
    reasoningContent:
      block.kind === 'text'
        ? { reasoningText: { text: block.text, signature: block.signature } }
        : { redactedContent: redactedContent(block.data, model) },
  }
}

/**
 * Encrypted reasoning out of an answer. Claude's is base64 itself, which Bedrock encodes once more, as it does all
 * bytes. Without that it is what Anthropic gives, and what each host of Claude takes in its own form.
 */
export function redactedData(redactedContent: string, { claude }: BedrockModel): string {
  return (claude === undefined ? undefined : base64Within(redactedContent)) ?? redactedContent
}

/** The other way round. What is in Bedrock's form already stays so. */
function redactedContent(data: string, { claude }: BedrockModel): string {
  if (claude === undefined || base64Within(data) !== undefined) return data
  return base64Of(new TextEncoder().encode(data))
}

/** What is encoded, where that is base64 again. */
function base64Within(data: string): string | undefined {
  try {
    const inner = atob(data)
    return /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(inner) ? inner : undefined
  } catch {
    return undefined
  }
}
