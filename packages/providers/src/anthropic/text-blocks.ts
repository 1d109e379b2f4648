import type { JsonObject } from '@sluice/core'
import type { SpokenText } from '../conversation/conversation.ts'

/** A block of the Messages API: of a message, a tool's result or the system text. */
export type Block = Readonly<Record<string, unknown>> & { readonly type: string }

/** Texts as blocks, without those that the vendor refuses: of white space alone. */
export function textBlocks(texts: readonly SpokenText[]): Block[] {
  return texts
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, cacheControl }) => ({ type: 'text', text, ...marked(cacheControl) }))
}

/** The field of a block that says that the prompt may be cached up to it. */
export function marked(cacheControl: JsonObject | undefined): { readonly cache_control?: JsonObject } {
  return cacheControl === undefined ? {} : { cache_control: cacheControl }
}
