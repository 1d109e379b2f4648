/** What a vendor's request says, in words that fit every vendor. */
export interface Reading {
  readonly system: readonly string[]
  readonly turns: readonly ReadTurn[]
  readonly tools: readonly ReadTool[]
}

export interface ReadTurn {
  readonly role: 'user' | 'assistant'
  readonly items: readonly Item[]
}

export type Item =
  | { readonly kind: 'text'; readonly text: string }
  /** Base64, a URL, or a text file's text. */
  | { readonly kind: 'data'; readonly data: string }
  | { readonly kind: 'call'; readonly id: string | undefined; readonly name: string; readonly input: unknown }
  /** `of` is the id, or where the vendor has none the name, of the call. */
  | { readonly kind: 'result'; readonly of: string; readonly text: string }

export interface ReadTool {
  readonly name: string
  readonly description: string | undefined
  readonly schema: unknown
}
