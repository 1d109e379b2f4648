import type { Thought } from '../claude/thinking-blocks.ts'
import type { SpokenReasoning } from '../conversation/conversation.ts'
import { base64Of } from '../conversation/data-url.ts'
import { beginning, reasoningBlocks } from '../conversation/reasoning-blocks.ts'
import type { Adjusting } from '../parameters/adjusting.ts'
import type { BedrockModel } from './models.ts'
import type { Block } from './user-content.ts'

/**
 * The reasoning of an earlier answer as blocks, each with the place where it stood, as far as the model can check it; the rest is left out, and told of.
 *
 * @param thoughtless - why none can go back; `undefined`: it can.
 */
export function reasoningContent(
  { details, path }: SpokenReasoning,
  model: BedrockModel,
  thoughtless: string | undefined,
  adjusting: Adjusting,
): readonly Thought<Block>[] {
  const { blocks, foreign, unsigned } = reasoningBlocks(details, model.reasoningFormat)
  const param = `${path}.reasoning_details`
  if (foreign) adjusting.drop(param, "another vendor's")
  else if (unsigned || blocks.length === 0) {
    adjusting.drop(details.length > 0 ? param : `${path}.reasoning_content`, "without the vendor's signature")
  }
  if (blocks.length > 0 && thoughtless !== undefined) {
    adjusting.drop(param, thoughtless)
    return []
  }
  return blocks.map(({ place = beginning, ...block }) => ({
    place,
    block: {
      reasoningContent:
        block.kind === 'text'
          ? { reasoningText: { text: block.text, signature: block.signature } }
          : { redactedContent: redactedContent(block.data, model) },
    },
  }))
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
