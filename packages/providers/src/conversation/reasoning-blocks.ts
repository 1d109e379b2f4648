import type { JsonObject } from '@sluice/core/provider'
import { countOf, isFields } from '../wire/json-value.ts'

/** What of an answer stands before a block of its reasoning: vendors want it back where it stood. */
export interface ReasoningPlace {
  /** Of its text, in UTF-16 code units. */
  readonly text: number
  /** Of its calls. */
  readonly calls: number
}

/** Before all that an answer says. */
export const beginning: ReasoningPlace = { text: 0, calls: 0 }

/** One block of an earlier answer's reasoning that its vendor can check: by its signature, or as it encrypted it. */
export type ReasoningBlock = { readonly place?: ReasoningPlace } & (
  | { readonly kind: 'text'; readonly text: string; readonly signature: string }
  | { readonly kind: 'encrypted'; readonly data: string }
)

/** What of an earlier answer's reasoning can be given back to one vendor. */
export interface ReasoningBlocks {
  /** In the order in which they were given. */
  readonly blocks: readonly ReasoningBlock[]
  /** There was reasoning of another vendor too, or of none that is named. */
  readonly foreign: boolean
  /** There was reasoning of this format that has no signature: no vendor takes it. */
  readonly unsigned: boolean
}

interface Joined {
  readonly encrypted: boolean
  readonly key: string | undefined
  text: string
  signature: string
  data: string
  format: string | undefined
  place: ReasoningPlace | undefined
}

/**
 * The blocks of one vendor's `format` among a message's `reasoning_details`. Pieces of one type and index, as
 * they come out of a stream, are joined; a block that is there twice under one index, as clients make it that
 * join the list with itself, counts once. Text without a signature is left out.
 */
export function reasoningBlocks(details: readonly JsonObject[], format: string): ReasoningBlocks {
  const joined: Joined[] = []
  const open = new Map<string, Joined>()
  for (const detail of details) {
    const encrypted = detail.type === 'reasoning.encrypted'
    if (!encrypted && detail.type !== 'reasoning.text' && detail.type !== 'reasoning.summary') continue
    const key = typeof detail.index === 'number' ? `${encrypted} ${detail.index}` : undefined
    let block = key === undefined ? undefined : open.get(key)
    // A signature ends its block: what follows under the same index is another one.
    if (block === undefined || block.signature !== '') {
      block = { encrypted, key, text: '', signature: '', data: '', format: undefined, place: undefined }
      joined.push(block)
      if (key !== undefined) open.set(key, block)
    }
    block.format ??= typeof detail.format === 'string' ? detail.format : undefined
    block.place ??= placeOf(detail.place)
    const data = textOf(detail.data)
    if (encrypted && data === block.data) continue
    block.data += data
    block.text += textOf(detail.text)
    block.signature += textOf(detail.signature)
  }
  const own = joined.filter(block => block.format === format)
  const whole = own.filter(({ encrypted, data, signature }) => (encrypted ? data : signature) !== '')
  return {
    blocks: withoutRepeated(whole).map(blockOf),
    foreign: own.length < joined.length,
    unsigned: whole.length < own.length,
  }
}

function withoutRepeated(blocks: readonly Joined[]): Joined[] {
  const seen = new Set<string>()
  return blocks.filter(({ key, text, signature, data }) => {
    if (key === undefined) return true
    const content = JSON.stringify([key, text, signature, data])
    if (seen.has(content)) return false
    seen.add(content)
    return true
  })
}

function blockOf({ encrypted, text, signature, data, place }: Joined): ReasoningBlock {
  const placed = place === undefined ? {} : { place }
  return encrypted ? { kind: 'encrypted', data, ...placed } : { kind: 'text', text, signature, ...placed }
}

function placeOf(value: unknown): ReasoningPlace | undefined {
  if (!isFields(value)) return undefined
  const text = countOf(value.text)
  const calls = countOf(value.calls)
  return text === undefined || calls === undefined ? undefined : { text, calls }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
