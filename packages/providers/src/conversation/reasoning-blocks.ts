import type { JsonObject } from '@sluice/core/provider'
import { countOf, isFields } from '../wire/json-value.ts'

/** What precedes a block of reasoning in its answer. Vendors require the block at the same position. */
export interface ReasoningPosition {
  /** Of its text, in UTF-16 code units. */
  readonly text: number
  /** Of its calls. */
  readonly calls: number
}

/** Before all content of an answer. */
export const beginning: ReasoningPosition = { text: 0, calls: 0 }

/** One block of an earlier answer's reasoning that its vendor can check: by its signature, or as it encrypted it. */
export type ReasoningBlock = { readonly position?: ReasoningPosition } & (
  | { readonly kind: 'text'; readonly text: string; readonly signature: string }
  | { readonly kind: 'encrypted'; readonly data: string; readonly id?: string }
)

/** The reasoning of an earlier answer that can be sent to one vendor. */
export interface ReasoningBlocks {
  /** In the order of the answer. */
  readonly blocks: readonly ReasoningBlock[]
  /** There is also reasoning of another vendor, or of an unknown one. */
  readonly foreign: boolean
  /** There is also reasoning of this format without a signature, which the vendor would refuse. */
  readonly unsigned: boolean
}

interface Joined {
  readonly encrypted: boolean
  readonly key: string | undefined
  text: string
  signature: string
  data: string
  /** The vendor's id of the block. */
  id: string | undefined
  format: string | undefined
  position: ReasoningPosition | undefined
}

/**
 * The blocks of one vendor's `format` among a message's `reasoning_details`. Pieces of one type and index, as a stream
 * delivers them, are joined. A block that occurs twice under one index counts once, because some clients append the list
 * to itself. Text without a signature is omitted.
 */
export function reasoningBlocks(details: readonly JsonObject[], format: string): ReasoningBlocks {
  const joined: Joined[] = []
  const open = new Map<string, Joined>()
  for (const detail of details) {
    const encrypted = detail.type === 'reasoning.encrypted'
    if (!encrypted && detail.type !== 'reasoning.text' && detail.type !== 'reasoning.summary') continue
    const key = typeof detail.index === 'number' ? `${encrypted} ${detail.index}` : undefined
    let block = key === undefined ? undefined : open.get(key)
    // A signature ends its block: the same index then begins another one.
    if (block === undefined || block.signature !== '') {
      block = {
        encrypted,
        key,
        text: '',
        signature: '',
        data: '',
        id: undefined,
        format: undefined,
        position: undefined,
      }
      joined.push(block)
      if (key !== undefined) open.set(key, block)
    }
    block.format ??= typeof detail.format === 'string' ? detail.format : undefined
    block.id ??= textOf(detail.id) || undefined
    block.position ??= positionOf(detail.place)
    const data = textOf(detail.data)
    if (encrypted && data === block.data) continue
    block.data += data
    block.text += textOf(detail.text)
    block.signature += textOf(detail.signature)
  }
  const own = joined.filter(block => block.format === format)
  const complete = own.filter(({ encrypted, data, signature }) => (encrypted ? data : signature) !== '')
  return {
    blocks: withoutDuplicates(complete).map(blockOf),
    foreign: own.length < joined.length,
    unsigned: complete.length < own.length,
  }
}

function withoutDuplicates(blocks: readonly Joined[]): Joined[] {
  const found = new Set<string>()
  return blocks.filter(({ key, text, signature, data }) => {
    if (key === undefined) return true
    const content = JSON.stringify([key, text, signature, data])
    if (found.has(content)) return false
    found.add(content)
    return true
  })
}

function blockOf({ encrypted, text, signature, data, id, position }: Joined): ReasoningBlock {
  const positioned = position === undefined ? {} : { position }
  return encrypted
    ? { kind: 'encrypted', data, ...(id !== undefined && { id }), ...positioned }
    : { kind: 'text', text, signature, ...positioned }
}

function positionOf(value: unknown): ReasoningPosition | undefined {
  if (!isFields(value)) return undefined
  const text = countOf(value.text)
  const calls = countOf(value.calls)
  return text === undefined || calls === undefined ? undefined : { text, calls }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
