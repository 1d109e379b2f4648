import { signatureOf } from '../signature.ts'

/** What was thought in an item of reasoning. */
export interface Encrypted {
  readonly id: string
  readonly words: string
}

/** Thoughts as only the vendor can read them. */
export function encrypted(thought: Encrypted): string {
  const text = JSON.stringify(thought)
  return `gAAAA${Buffer.from(text).toString('base64')}.${signatureOf('openai', text)}`
}

/** Reads what the vendor has encrypted; `undefined` for anything else. */
export function openEncrypted(content: string): Encrypted | undefined {
  const [, data = '', signature] = /^gAAAA([^.]+)\.(.+)$/.exec(content) ?? []
  const text = Buffer.from(data, 'base64').toString()
  return signature === signatureOf('openai', text) ? (JSON.parse(text) as Encrypted) : undefined
}
