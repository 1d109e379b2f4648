import { memberPath } from '@sluice/core/provider'
import type { AssistantReasoning, AssistantToolCall, AssistantTurn } from '../conversation/conversation.ts'
import { reasoningBlocks } from '../conversation/reasoning-blocks.ts'
import type { ToolCallIds } from '../conversation/tool-call-ids.ts'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { isFields, textOf } from '../wire/json-value.ts'
import type { GeminiModel } from './models.ts'
import type { Part } from './user-part.ts'

/** The mark of Gemini's signatures in `reasoning_details`. */
export const signatureFormat = 'google-gemini-v1'

/** Google's own stand-in for a signature that nobody has. */
const noSignature = 'skip_thought_signature_validator'

/**
 * An earlier turn of the assistant as parts. A call's signature goes back on the call. Those of
 * `reasoning_details`, which came on text or thoughts, go back in their order: the last one on the message's
 * last text, as Gemini signs a text where it ends, and any before it, or without a text, on empty parts of
 * their own, as they come out of a stream.
 */
export function modelParts(
  { items }: AssistantTurn,
  model: GeminiModel,
  ids: ToolCallIds,
  adjuster: ParameterAdjuster,
): Part[] {
  const parts: Record<string, unknown>[] = []
  let signature: string | undefined
  let text: Record<string, unknown> | undefined
  let called = false
  const place = (): void => {
    if (signature !== undefined && text !== undefined) text.thoughtSignature = signature
    else if (signature !== undefined) parts.push({ text: '', thoughtSignature: signature })
    signature = undefined
    text = undefined
  }
  for (const item of items) {
    switch (item.kind) {
      case 'reasoning': {
        place()
        const signatures = signaturesOf(item, adjuster)
        signature = signatures.pop()
        for (const thoughtSignature of signatures) parts.push({ text: '', thoughtSignature })
        break
      }
      case 'text':
        text = { text: item.text }
        parts.push(text)
        break
      case 'call':
        place()
        parts.push(callPart(item, !called, model, ids, adjuster))
        called = true
        break
    }
  }
  place()
  return parts
}

/** Gemini reads its signatures, which hold the thoughts; their text says nothing to it. */
function signaturesOf(reasoning: AssistantReasoning, adjuster: ParameterAdjuster): string[] {
  const { text, details } = reasoning
  const { blocks, foreign, unsigned } = reasoningBlocks(details, signatureFormat)
  const path = memberPath(reasoning, 'reasoning_details')
  if (foreign) adjuster.drop({ path }, 'of another vendor')
  else if (unsigned) adjuster.drop({ path }, 'without a signature')
  else if (blocks.length === 0 && text !== undefined) {
    adjuster.drop({ path: memberPath(reasoning, 'reasoning_content') })
  }
  return blocks.map(block => (block.kind === 'encrypted' ? block.data : block.signature))
}

function callPart(
  { part: call, name, arguments: args, extraContent, path }: AssistantToolCall,
  first: boolean,
  { signedCalls }: GeminiModel,
  ids: ToolCallIds,
  adjuster: ParameterAdjuster,
): Record<string, unknown> {
  const part = { functionCall: { ...(signedCalls ? { id: ids.ofCall(call) } : {}), name, args } }
  const google = extraContent?.google
  const signature = isFields(google) ? textOf(google.thought_signature) : undefined
  if (signature !== undefined) return { ...part, thoughtSignature: signature }
  if (extraContent !== undefined) adjuster.drop({ path: `${path}.extra_content` }, 'of another vendor')
  // Of calls that came together only the first is signed.
  if (!signedCalls || !first) return part
  adjuster.fill({ path: `${path}.extra_content` }, noSignature)
  return { ...part, thoughtSignature: noSignature }
}
