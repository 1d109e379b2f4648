import { createHash } from 'node:crypto'

/**
 * A maker's mark on what its model thought: only the maker can make it, and it fits only these words. Claude's
 * holds at every host of Claude.
 */
export function signatureOf(maker: 'anthropic' | 'google' | 'openai', words: string): string {
  return createHash('sha512').update(`${maker}\n${words}`).digest('base64')
}
