import type { JsonObject } from '@sluice/core/provider'
import type { AssistantText, Conversation } from '../conversation/conversation.ts'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'

/** A block of the Messages API: of a message, a tool's result or the system text. */
export type Block = Readonly<Record<string, unknown>> & { readonly type: string }

/** Texts as blocks, without those that the vendor refuses: of white space alone. */
export function textBlocks(texts: readonly AssistantText[]): Block[] {
  return texts
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, cacheControl }) => ({ type: 'text', text, ...withCacheMark(cacheControl) }))
}

/** The field of a block that says that the prompt may be cached up to it. */
export function withCacheMark(cacheControl: JsonObject | undefined): { readonly cache_control?: JsonObject } {
  return cacheControl === undefined ? {} : { cache_control: cacheControl }
}

/**
 * The request's `system`: one text, or blocks where one of them carries a cache mark; `undefined` where nothing is
 * said. System messages further down are reported: there they stood after what they now precede.
 *
 * @param further - lines that the caller did not write, after those that the caller did.
 */
export function systemText(
  { system, moved }: Conversation,
  further: readonly string[],
  adjuster: ParameterAdjuster,
): string | readonly Block[] | undefined {
  for (const path of moved) adjuster.map({ path }, 'moved to the front, into the system text')
  const blocks = [...textBlocks(system), ...further.map(text => ({ type: 'text', text }))]
  if (blocks.length === 0) return undefined
  if (blocks.some(block => 'cache_control' in block)) return blocks
  return blocks.map(({ text }) => text).join('\n\n')
}
